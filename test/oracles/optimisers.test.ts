import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { searchCampaign, SearchInMemory, stopAfter } from '../search/in-memory.ts';
import { killing } from '../search/outside/kills.ts';
import { pythonOfTests, pythonWith } from '../support/python.ts';
import { isFull, report } from '../support/seeds.ts';

/**
 * The tests run the examples of outside optimisers with their libraries. Each example minimises a function with a known
 * minimum, and the test kills its processes meanwhile. By default, only the two examples with small libraries run.
 * FORAY_FAULTS=full runs all examples.
 */

const EXAMPLES = resolve(import.meta.dirname, '../../examples/search/outside');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'foray-optimisers-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Branin's function. Its minimum is 0.397887. */
function branin([x, y]: readonly number[]): { f: string; g: string } {
  const [b, c, t] = [5.1 / (4 * Math.PI ** 2), 5 / Math.PI, 1 / (8 * Math.PI)];
  return {
    f: String((y! - b * x! ** 2 + c * x! - 6) ** 2 + 10 * (1 - t) * Math.cos(x!) + 10),
    g: '1',
  };
}

// The test kills a process at most `within` ms after its start. Ten kills in a row without an answer are an error, so
// `within` is longer than the start of the process on a loaded machine.
const optimisers = [
  { script: 'optuna_tpe', points: 60, within: 2_000 },
  { script: 'pycma', points: 60, within: 1_000 },
  { script: 'nevergrad_de', points: 60, within: 6_000 },
  { script: 'scipy_de', points: 60, within: 6_000 },
  { script: 'dakota_soga', points: 60, within: 1_000 },
  { script: 'ax_client', points: 24, within: 45_000 },
];

test.each(isFull ? optimisers : optimisers.slice(0, 2))(
  '$script asks for the same points if its processes are killed, and no point is evaluated twice',
  async ({ script, points, within }) => {
    const most = isFull ? 50 : 2;
    const say = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
    const bin = isFull
      ? await pythonWith(`outside-${script}`, join(EXAMPLES, `${script}.requirements.txt`))
      : await pythonOfTests();
    const pids = join(folder, script);
    const campaign = searchCampaign(
      { 'the x': { min: -5, max: 10, digits: 4 }, y: { min: 0, max: 15, digits: 4 } },
      {
        stop: stopAfter(points),
        parallel: 4,
        method: {
          // the shell writes its process id to a file, and then becomes Python with the same id
          command: [
            'sh',
            '-c',
            'echo $$ >> "$1"; exec "$2" "$3"',
            'sh',
            pids,
            join(bin, 'python'),
            `${script}.py`,
          ],
          folder: EXAMPLES,
          files: {},
          options: {},
          timeout: 600_000,
        },
      },
    );
    let evaluations = 0;
    const counted = (values: readonly number[]) => {
      evaluations += 1;
      return branin(values);
    };
    const undisturbed = await new SearchInMemory(campaign, counted, 1).toTheEnd(0);
    expect(evaluations).toBe(points);
    let kills = 0;
    for (let seed = 1; kills < most; seed += 1) {
      rmSync(pids, { force: true });
      evaluations = 0;
      const search = new SearchInMemory(campaign, counted, seed);
      const killed = await killing(pids, within, seed, () => search.toTheEnd(0), most - kills);
      expect(killed.log).toEqual(undisturbed);
      expect(evaluations).toBe(points);
      kills += killed.kills;
    }
    const best = Math.min(...undisturbed.asks.map(({ told }) => told!.value!));
    const chatter = say.mock.calls.map(([line]) => String(line));
    say.mockRestore();
    expect(chatter.filter((line) => line.includes('proposes other points'))).toEqual([]);
    expect(best).toBeLessThan(5);
    report(
      `optimisers: ${script}: ${points} points of Branin, the best ${best.toFixed(3)} (minimum 0.398); ${kills} kills, each log equals the log without kills, no point evaluated twice`,
    );
  },
  3_600_000,
);
