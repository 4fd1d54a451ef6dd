/**
 * Settings that make equal programs give equal results in each process and on each machine. Python orders a set of
 * texts by a hash, which otherwise is another one in each process. The last bits of a sum depend on the number of
 * threads of the linear algebra, which otherwise is the number of cores. With one thread, programs that run side by
 * side also do not slow each other down.
 */
const STEADY = {
  PYTHONHASHSEED: '0',
  OMP_NUM_THREADS: '1',
  OPENBLAS_NUM_THREADS: '1',
  MKL_NUM_THREADS: '1',
};

/** Variables for programs that talk to foray. A value that the user has set stays. */
export function steadyEnvironment(set: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const steady = Object.entries(STEADY).map(([name, value]) => [name, set[name] ?? value]);
  return {
    ...(Object.fromEntries(steady) as Record<string, string>),
    // without this variable, Python would buffer its output
    PYTHONUNBUFFERED: '1',
  };
}
