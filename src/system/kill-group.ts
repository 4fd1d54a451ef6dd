/** Kills a process group with SIGKILL. `pid` is the id of the process that leads the group. */
export function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // the group is empty, or on macOS has only processes that have ended
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
