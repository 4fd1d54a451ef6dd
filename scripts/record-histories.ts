/**
 * Records histories of campaigns for the replay test: `npm run record-histories FOLDER` records the histories that the
 * folder does not have. A release that changes the workflow adds its own histories. Earlier histories stay,
 * because campaigns that began with an earlier release must continue.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findTemporalCli } from '../src/dev/temporal-cli.ts';
import { buildProgram } from '../test/support/build-program.ts';
import { closedStatus, toTheEnd } from '../test/support/campaigns.ts';
import { until } from '../test/support/until.ts';
import { rehearsal, startWorld, type World } from '../test/support/world.ts';

const folder = resolve(import.meta.dirname, '../test/histories', process.argv[2] ?? '');

process.env.FORAY_TEMPORAL_CLI = await findTemporalCli((line) => console.error(line));
// the workers of startWorld run the bundle of the built program
await buildProgram();
mkdirSync(folder, { recursive: true });

/** A search whose method proposes generations of six points. */
const searching = {
  text: `
campaign: searching
model: {name: Rehearsal}
inputs: {Seconds: 0.3}
search: {maximize: Echo, over: {Value: {min: 800, max: 899}}, method: cma, parallel: 6, stop: {points: 24}}
concurrency: 3
`,
  file: 'searching.yaml',
};

/** A campaign whose runs fail at random and are tried again. */
const chancy = {
  text: `
campaign: chancy
model: {name: Rehearsal}
inputs: {Seconds: 0, Failure rate: 0.7}
design: {grid: {Value: {from: 400, to: 408, step: 1}}}
failures: {attempts: 3, backoff: 0.2}
timeouts: {run: 60, campaign: 600}
`,
  file: 'chancy.yaml',
};

/**
 * Starts a campaign for each history, and returns its id. Each campaign has values of its own (`first`), because the
 * service would reuse results of an earlier one. Only `reused` has the values of `completed`, so it comes after it.
 */
const campaigns: Record<string, (world: World) => Promise<string>> = {
  completed: async ({ foray }) =>
    (await foray.submit(rehearsal({ count: 6, seconds: 0.5, more: 'concurrency: 2' }))).id,
  reused: async ({ foray }) => (await foray.submit(rehearsal({ count: 6, seconds: 0.5 }))).id,
  cancelled: async (world) => {
    const { id } = await world.foray.submit(rehearsal({ count: 6, first: 100, seconds: 60 }));
    await inFlight(world, id);
    await world.foray.cancel(id, 'recorded');
    return id;
  },
  'cancelled-by-temporal': async (world) => {
    const { id } = await world.foray.submit(rehearsal({ count: 6, first: 200, seconds: 60 }));
    await inFlight(world, id);
    await world.environment.client.workflow.getHandle(id).cancel();
    return id;
  },
  steered: async (world) => {
    const { id } = await world.foray.submit(
      rehearsal({ count: 9, first: 300, seconds: 0.8, more: 'concurrency: 1' }),
    );
    await world.foray.steer(id, 'pause');
    await until('the campaign is paused', async () => (await world.foray.status(id)).phase === 'paused');
    await world.foray.setConcurrency(id, 3);
    await world.foray.steer(id, 'resume');
    await until('some runs are done', async () => (await world.foray.status(id)).runs.done > 0);
    await world.foray.steer(id, 'stop', 'recorded');
    return id;
  },
  'tried-again': async ({ foray }) => (await foray.submit(chancy)).id,
  'given-up': async ({ foray }) =>
    (await foray.submit(rehearsal({ count: 2, first: 500, seconds: 60, more: 'timeouts: {run: 1}' }))).id,
  retried: async (world) => {
    const { id } = await world.foray.submit(rehearsal({ count: 6, first: 600, seconds: 60 }));
    await inFlight(world, id);
    await world.foray.cancel(id);
    await toTheEnd(world, id);
    await world.foray.retry(id);
    await inFlight(world, id);
    await world.foray.cancel(id);
    return id;
  },
  applied: async (world) => {
    const { id } = await world.foray.submit(rehearsal({ count: 4, first: 700, seconds: 1 }));
    await world.foray.apply(id, rehearsal({ count: 6, first: 702, seconds: 1, more: 'concurrency: 3' }));
    await world.foray.retry(id);
    return id;
  },
  noticed: async ({ foray }) =>
    (await foray.submit(rehearsal({ count: 3, first: 900, more: 'notify: team' }))).id,
  searched: async ({ foray }) => (await foray.submit(searching)).id,
};

function inFlight({ foray }: World, id: string): Promise<boolean> {
  return until('runs are in flight', async () => {
    const { source, runs } = await foray.status(id);
    return source === 'workflow' && runs.running > 0;
  });
}

await record({}, campaigns);
// the server asks for a new execution after so few events that the campaign needs several
await record({ suggestContinueAsNew: 30, executors: 2 }, { continued: campaigns.completed! });
// the worlds are closed, and nothing else may hold the process
process.exit();

/** Records a history for each of the campaigns, in a world of their own. */
async function record(options: Parameters<typeof startWorld>[0], starts: typeof campaigns): Promise<void> {
  const world = await startWorld(options);
  const notices = join(world.folder, 'notices.yaml');
  writeFileSync(notices, 'team: {command: ["true"]}', { mode: 0o600 });
  await world.startWorker({ notices });
  for (const [name, start] of Object.entries(starts)) {
    const file = join(folder, `${name}.json`);
    if (existsSync(file)) continue;
    const id = await start(world);
    await toTheEnd(world, id);
    await closedStatus(world, id);
    const text = JSON.stringify(JSON.parse(historyOf(id, world.environment.address)), withoutMachine, 1);
    writeFileSync(file, `${text}\n`);
  }
  await world.close();
}

/** The history of the last execution, in the format that Temporal's command line and the Web UI export. */
function historyOf(id: string, address: string): string {
  const args = ['workflow', 'show', '--workflow-id', id, '--address', address, '--output', 'json'];
  return execFileSync(process.env.FORAY_TEMPORAL_CLI!, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
}

/** Removes texts that name the recording machine. The replay does not need them. */
function withoutMachine(key: string, value: unknown): unknown {
  if (key === 'identity') return 'recorded';
  return key === 'stackTrace' ? '' : value;
}
