/** Runs a callback once after so many milliseconds; what it returns cancels that. */
export type After = (milliseconds: number, callback: () => void) => () => void;

/** By the system's monotonic clock: a change of the date moves nothing. */
export const after: After = (milliseconds, callback) => {
  const timer = setTimeout(callback, milliseconds);
  return () => clearTimeout(timer);
};
