/** Calls back once after a number of milliseconds. The returned function cancels the call. */
export type After = (milliseconds: number, callback: () => void) => () => void;

/** Uses the system's monotonic clock, so a change of the date has no effect. */
export const after: After = (milliseconds, callback) => {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
};
