/**
 * Settings with which a program gives the same results in each process and on each machine. Python orders a set of
 * texts by a hash, which would differ between processes. The last bits of a sum depend on the number of threads of the
 * linear algebra, which would be the number of cores. With one thread, programs that run side by side also do not slow
 * each other down.
 */
const STEADY = {
  PYTHONHASHSEED: '0',
  OMP_NUM_THREADS: '1',
  OPENBLAS_NUM_THREADS: '1',
  MKL_NUM_THREADS: '1',
};

/** Variables for programs that talk to foray. A setting that the user has made stays. */
export function steadyEnvironment(): Record<string, string> {
  const steady = Object.entries(STEADY).map(([name, value]) => [name, process.env[name] ?? value]);
  return {
    ...(Object.fromEntries(steady) as Record<string, string>),
    // without this variable, Python would buffer its output
    PYTHONUNBUFFERED: '1',
  };
}
