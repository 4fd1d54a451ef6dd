import { appendFileSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import type { SearchLog } from '../../../src/campaign/search/log.ts';
import type { CampaignStatus } from '../../../src/client/index.ts';
import { toTheEnd } from '../../support/campaigns.ts';
import { foray } from '../../support/cli.ts';
import { until } from '../../support/until.ts';
import { environmentOf } from '../../support/worker.ts';
import { startWorld, type World } from '../../support/world.ts';
import { pidsIn } from '../outside/kills.ts';
import { EPIDEMIC } from '../../service/fixed.ts';
import { only } from '../../support/strategy.ts';
import { OBSERVED } from '../flu.ts';

/**
 * Tests campaigns that search by an outside optimiser. The log stays the same if the process of the optimiser is killed
 * or makes mistakes.
 */

const POINTS = 20;
const OUTSIDE = join(import.meta.dirname, '../outside');

let world: World;
let stopWorker: () => Promise<void>;

beforeAll(async () => {
  world = await startWorld({ models: [EPIDEMIC] });
  stopWorker = await world.startWorker();
});
afterAll(() => world.close());

interface Flu {
  /** The folder of the definition and of the optimiser's script. */
  folder?: string;
  options?: object;
  timeout?: string;
  rest?: string;
}

/** A definition that fits the model to the flu. */
function flu({ folder = OUTSIDE, options = {}, timeout = '1 min', rest = '' }: Flu) {
  return {
    file: join(folder, 'flu.yaml'),
    text: `
campaign: flu
model: { name: Epidemic }
inputs: { Population: 763 }
files: { Observed cases: ${JSON.stringify(OBSERVED)} }
outputs: [Fit error]
search:
  minimize: Fit error
  over:
    Contact rate: { min: 1.2, max: 2.2, digits: 4 }
    Recovery rate: { min: 0.3, max: 0.6, digits: 4 }
  method: { command: [python3, random_search.py], options: ${JSON.stringify(options)}, timeout: ${timeout} }
  parallel: 4
  stop: { points: ${POINTS} }
seed: 3
${rest}`,
  };
}

const logOf = (id: string): Promise<SearchLog> => world.foray['store'].searchLog(id);
const asksOf = async (id: string): Promise<number> => (await logOf(id)).asks.length;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const untilGone = (file: string): Promise<boolean> =>
  until('the processes have ended', () => pidsIn(file).length > 0 && !pidsIn(file).some(isAlive));

const untilPaused = (id: string): Promise<CampaignStatus> =>
  until('the campaign is paused', async () => {
    // the store answers faster than the workflow
    if ((await world.foray.results(id)).record.phase !== 'paused') return false;
    const status = await world.foray.status(id);
    return status.phase === 'paused' && status;
  });

let expected: SearchLog;
let here: string;
let there: string;

test('the search runs no point twice, and the process of the optimiser ends with it', async () => {
  [here, there] = [join(world.folder, 'here'), join(world.folder, 'there')];
  for (const folder of [here, there]) {
    mkdirSync(folder);
    copyFileSync(join(OUTSIDE, 'random_search.py'), join(folder, 'random_search.py'));
  }
  const pids = join(world.folder, 'pids-undisturbed');
  await world.foray.submit(flu({ options: { pids }, folder: here }), { id: 'undisturbed' });
  const { phase, points, strategy } = await toTheEnd(world, 'undisturbed');
  const search = only('search', strategy);
  expect({ phase, points }).toEqual({ phase: 'completed', points: POINTS });
  expect(search).toMatchObject({
    method: 'python3 random_search.py',
    asked: POINTS,
    told: POINTS,
    failed: 0,
    stoppedBy: 'points',
  });
  await untilGone(pids);
  expect(pidsIn(pids)).toHaveLength(1);
  expected = await logOf('undisturbed');
  expect(world.executions()).toEqual(Array.from({ length: POINTS }, () => 1));
});

test('kill -9 of the optimiser changes nothing in the log, whatever the timing of runs', async () => {
  const pids = join(world.folder, 'pids-killed');
  await world.foray.submit(flu({ options: { pids, slow: 0.05 }, rest: 'concurrency: 2' }), { id: 'killed' });
  for (const asks of [1, 11]) {
    // a new process may not have started yet, if the search was already further when the last process was killed
    const running = await until(`a process has asked for point ${asks}`, async () => {
      const last = pidsIn(pids).at(-1);
      return (await asksOf('killed')) >= asks && last !== undefined && isAlive(last) && last;
    });
    process.kill(running, 'SIGKILL');
  }
  expect((await toTheEnd(world, 'killed')).phase).toBe('completed');
  expect(pidsIn(pids).length).toBeGreaterThan(2);
  expect(await logOf('killed')).toEqual(expected);
  expect(world.executions()).toHaveLength(POINTS);
});

describe('the campaign pauses without any loss when the optimiser', () => {
  // test/search/outside has the other wrong answers
  test.each([
    ['exit', 'ended with exit code 1: “no more memory”'],
    ['outside', 'proposes “1000000” for "Contact rate", which is not within 1.2 and 2.2'],
    ['hang', 'has given no answer for 10 s'],
  ])('makes the mistake "%s"', async (fault, says) => {
    const [mark, id] = [join(world.folder, `fault-${fault}`), `fault-${fault}`];
    writeFileSync(mark, '');
    const options = { fault, at: 9, while: mark };
    // the time limit also holds for the start of the process
    const timeout = fault === 'hang' ? '10 s' : '1 min';
    await world.foray.submit(flu({ options, timeout }), { id });
    const { note, pausedBy } = await untilPaused(id);
    expect(pausedBy).toBe('optimiser');
    expect(note).toBe(`paused because the search cannot continue: OPTIMISER_FAILED: The optimiser ${says}.`);
    // the mistake still exists, so the campaign pauses again
    if (fault === 'exit') {
      await world.foray.steer(id, 'resume');
      await until('the optimiser has failed twice', async () =>
        /resumed; paused because the search/.test((await world.foray.status(id)).note),
      );
      await untilPaused(id);
      await isSaid(id, `OPTIMISER_FAILED: The optimiser ${says}.`);
    }
    rmSync(mark);
    await world.foray.steer(id, 'resume');
    expect((await toTheEnd(world, id)).phase).toBe('completed');
    expect(await logOf(id)).toEqual(expected);
    expect(world.executions()).toHaveLength(POINTS);
  });

  /** Expects the command line to say why the campaign is paused. */
  async function isSaid(id: string, why: string): Promise<void> {
    const env = environmentOf(world.settings);
    // only a person can resume this campaign, so watch ends
    const watched = await foray(world.folder, ['watch', id], { env });
    expect(watched.code).toBe(1);
    expect(watched.stderr).toContain(why);
    // if Temporal answers late, status comes from the store without the reason
    const stdout = await until('status has the reason', async () => {
      const status = await foray(world.folder, ['status', id], { env });
      return status.stdout.includes('OPTIMISER_FAILED') && status.stdout;
    });
    expect(stdout).toContain('Search (python3 random_search.py): ');
  }
});

test('nothing is lost if an optimiser proposes other points after its restart', async () => {
  const pids = join(world.folder, 'pids-other');
  const log = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  // the search asks for its last points only long after the kill
  await world.foray.submit(flu({ options: { pids, isOther: true, slow: 0.1 }, rest: 'concurrency: 2' }), {
    id: 'other',
  });
  await until('the search has asked for 8 points', async () => (await asksOf('other')) >= 8);
  process.kill(pidsIn(pids).at(-1)!, 'SIGKILL');
  const before = (await logOf('other')).asks;
  expect((await toTheEnd(world, 'other')).phase).toBe('completed');
  const said = log.mock.calls.map(([line]) => String(line));
  log.mockRestore();
  const { asks } = await logOf('other');
  expect(asks).toHaveLength(POINTS);
  expect(asks.slice(0, before.length).map(({ values }) => values)).toEqual(
    before.map(({ values }) => values),
  );
  const notes = said.filter((line) =>
    line.includes('optimiser of other: after a new start, the optimiser proposes other points'),
  );
  expect(notes).toHaveLength(1);
});

test('cancelling a campaign ends an optimiser that is computing', async () => {
  const [mark, pids] = [join(world.folder, 'fault-thinks'), join(world.folder, 'pids-thinks')];
  writeFileSync(mark, '');
  const options = { pids, fault: 'hang', at: 0, while: mark };
  await world.foray.submit(flu({ options, timeout: '20 min' }), { id: 'thinks' });
  await until('the optimiser runs', () => pidsIn(pids).some(isAlive));
  await world.foray.cancel('thinks');
  expect((await toTheEnd(world, 'thinks')).phase).toBe('cancelled');
  await untilGone(pids);
});

test('a worker that stops ends its optimisers, and another worker continues', async () => {
  const pids = join(world.folder, 'pids-stop');
  await world.foray.submit(flu({ options: { pids, slow: 0.1 }, rest: 'concurrency: 2' }), { id: 'stop' });
  await until('the search has asked for 6 points', async () => (await asksOf('stop')) >= 6);
  await stopWorker();
  await untilGone(pids);
  await world.startWorker();
  expect((await toTheEnd(world, 'stop')).phase).toBe('completed');
  expect(await logOf('stop')).toEqual(expected);
});

test('foray recognizes a campaign by the content of its optimiser script, in any folder', async () => {
  const id = 'undisturbed';
  const options = { pids: join(world.folder, 'pids-undisturbed') };
  expect((await world.foray.submit(flu({ options, folder: there }), { id })).isNew).toBe(false);
  appendFileSync(join(there, 'random_search.py'), '# changed\n');
  await expect(world.foray.submit(flu({ options, folder: there }), { id })).rejects.toMatchObject({
    code: 'CAMPAIGN_EXISTS',
  });
  const search = only('search', (await world.foray.results(id)).record.campaign.strategy);
  expect(search.method).toMatchObject({ folder: here, files: { 'random_search.py': expect.any(String) } });
  // also after a change, which the worker makes without the script
  const changed = flu({ options, folder: here, rest: 'concurrency: 2' });
  await world.foray.apply(id, changed);
  expect((await world.foray.submit(changed, { id })).isNew).toBe(false);
});
