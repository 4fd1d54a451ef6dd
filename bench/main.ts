import { buildProgram } from '../test/support/build-program.ts';

/**
 * `npm run bench -- NAME [flags]`. Each bench is a file that exports `run(args)`. `run` returns true if all goals are
 * met.
 */
const benches: Record<string, () => Promise<{ run: (args: string[]) => boolean | Promise<boolean> }>> = {
  campaign: () => import('./campaign/bench.ts'),
  service: () => import('./service/bench.ts'),
  fleet: () => import('./fleet/bench.ts'),
  scheduler: () => import('./scheduler/bench.ts'),
  kernel: () => import('./kernel/bench.ts'),
  models: () => import('./models/bench.ts'),
  store: () => import('./store/bench.ts'),
  export: () => import('./export/bench.ts'),
  search: () => import('./search/bench.ts'),
  sensitivity: () => import('./sensitivity/bench.ts'),
  crowd: () => import('./crowd/bench.ts'),
  page: () => import('./page/bench.ts'),
  truth: () => import('./truth/bench.ts'),
};

const [name = '', ...args] = process.argv.slice(2);
const load = benches[name];
if (!load) {
  console.error(`There is no bench "${name}". Known: ${Object.keys(benches).join(', ')}.`);
  process.exit(2);
}
// some benches start the program as the package has it, like the tests
await buildProgram();
const { run } = await load();
process.exitCode = (await run(args)) ? 0 : 1;
