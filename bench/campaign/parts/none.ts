import { costs, pace } from '../columns.ts';
import { ForayWay } from '../foray.ts';
import { type Lab, progress } from '../lab.ts';
import type { Measured } from '../measure.ts';
import { loopRacer, raceOnce, type Racer } from '../race.ts';
import type { Part } from '../../report.ts';

const RUNS = 20_000;
const EXECUTORS = 50;
/** The loop uses the window that is fastest on this machine. Trials with fewer runs find this window. */
const WINDOWS = [16, 32, 64, 128];
const TRIAL_RUNS = 5_000;
/**
 * The two ways take turns. The fastest round of each counts, because other work on the machine can only make a round
 * slower.
 */
const ROUNDS = 3;

/** Measures runs without a duration. So the time of each way is only its own cost. */
export async function none(lab: Lab): Promise<Part<Measured>> {
  const reset = () => lab.stub.reset({ executors: EXECUTORS });
  const racer = (runs: number, window: number): Racer =>
    loopRacer(lab, { way: `p-limit loop of ${window}`, runs, window, firstMs: 0, everyMs: 250 });
  const trials: { window: number; seconds: number }[] = [];
  for (const window of [...WINDOWS, ...WINDOWS]) {
    progress(`none: the loop with a window of ${window}`);
    await reset();
    trials.push({ window, seconds: (await raceOnce(racer(TRIAL_RUNS, window))).seconds });
  }
  const { window } = trials.reduce((best, trial) => (trial.seconds < best.seconds ? trial : best));
  const loop = racer(RUNS, window);
  const way = await ForayWay.start(lab);
  const rounds: { plain: Measured; foray: Measured }[] = [];
  try {
    for (let round = 1; round <= ROUNDS; round += 1) {
      progress(`none: ${RUNS} runs by each, round ${round} of ${ROUNDS}`);
      await reset();
      const plain = await loop.measure();
      await reset();
      rounds.push({ plain, foray: await way.run({ values: RUNS }) });
    }
  } finally {
    await loop.end();
    await way.close();
  }
  const foray = fastest(rounds.map((round) => round.foray));
  const plain = fastest(rounds.map((round) => round.plain));
  return {
    name: 'none',
    title: 'none: runs without a duration',
    rows: [foray, plain],
    columns: [...pace, ...costs],
    goals: [
      { what: 'throughput of foray / of the loop', figure: plain.seconds / foray.seconds, least: 0.9 },
      { what: 'history events a run', figure: foray.events!, most: 0.1 },
    ],
    notes: [
      `Of the windows ${WINDOWS.join(', ')}, the loop is fastest with ${window}. Each row is the fastest of ${ROUNDS} rounds. The ways take turns.`,
    ],
  };
}

function fastest(rounds: Measured[]): Measured {
  return rounds.reduce((best, round) => (round.seconds < best.seconds ? round : best));
}
