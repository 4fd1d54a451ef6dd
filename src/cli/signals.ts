/** Resolves at the first SIGINT or SIGTERM. A second signal ends the process as usual. */
export function untilSignalled(): Promise<void> {
  return new Promise((resolve) => {
    const heard = (): void => {
      process.off('SIGINT', heard);
      process.off('SIGTERM', heard);
      resolve();
    };
    process.on('SIGINT', heard);
    process.on('SIGTERM', heard);
  });
}
