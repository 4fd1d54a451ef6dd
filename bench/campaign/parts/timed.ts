import { listScheduling } from '../../scheduler/service.ts';
import { childrenWay } from '../children/way.ts';
import { columns, costs } from '../columns.ts';
import { ForayWay } from '../foray.ts';
import { type Lab, progress } from '../lab.ts';
import type { Measured } from '../measure.ts';
import type { Peers } from '../peers/install.ts';
import { peerWays } from '../peers/ways.ts';
import { loopRacer, raceOnce } from '../race.ts';
import type { Part } from '../../report.ts';
import { durationOf } from '../stub/runs.ts';

const RUNS = 2_000;
/** Child workflows are slow, so the bench measures fewer runs of them. */
const RUNS_OF_CHILDREN = 500;
const EXECUTORS = 50;
const SECONDS = 2;
const POLL_MS = 250;

interface Row extends Measured {
  /** Makespan divided by the makespan of list scheduling in the same order. List scheduling needs no polls. */
  overList: number;
  /** Makespan divided by the total work per executor. */
  overIdeal: number;
}

/** Measures runs that take some seconds, once for each way to execute them (foray and its alternatives). */
export async function timed(lab: Lab, { cv, peers }: { cv: number; peers?: Peers }): Promise<Part<Row>> {
  const behaviour = { executors: EXECUTORS, seconds: SECONDS, cv };
  const rows: Row[] = [];
  const add = async (way: string, measured: () => Promise<Measured>): Promise<void> => {
    progress(`timed: ${way}`);
    await lab.stub.reset(behaviour);
    rows.push(compared(await measured(), cv));
  };
  await add('foray', () => forayOnce(lab));
  await add('p-limit loop', () =>
    raceOnce(loopRacer(lab, { runs: RUNS, window: EXECUTORS, firstMs: POLL_MS, everyMs: POLL_MS })),
  );
  await add('child workflows', () => childrenWay(lab, RUNS_OF_CHILDREN, EXECUTORS));
  for (const { way, run } of peers ? peerWays(lab, peers) : []) {
    await add(way, () => run({ runs: RUNS, window: EXECUTORS, everyMs: POLL_MS }));
  }
  const [foray, ...others] = rows as [Row, ...Row[]];
  const bestOther = Math.min(...others.map(({ overList }) => overList));
  return {
    name: 'timed',
    title: `timed: runs of ${SECONDS} s${cv > 0 ? `, cv ${cv},` : ''} on ${EXECUTORS} executors`,
    rows,
    columns: [
      columns.way,
      columns.runs,
      { title: 'of list', of: (row) => row.overList, digits: 3 },
      { title: 'of ideal', of: (row) => row.overIdeal, digits: 3 },
      columns.seconds,
      columns.fromStart,
      ...costs,
    ],
    goals: [
      { what: 'makespan of foray / of list scheduling', figure: foray.overList, most: 1.03 },
      {
        what: 'makespan of foray / of the best other way',
        figure: foray.overList / bestOther,
        most: 1,
      },
    ],
    notes: [
      'The makespan goes from the first request to the last result. "of list" is the makespan divided by the makespan of list scheduling. "of ideal" is the makespan divided by the work per executor.',
      ...(cv === 0
        ? [
            'Runs of equal length end just when the loops poll, so the loops look better than they are. --cv 0.3 measures runs of different lengths.',
          ]
        : []),
    ],
  };
}

async function forayOnce(lab: Lab): Promise<Measured> {
  const foray = await ForayWay.start(lab);
  try {
    return await foray.run({ values: RUNS });
  } finally {
    await foray.close();
  }
}

function compared(measured: Measured, cv: number): Row {
  const durations = Array.from({ length: measured.runs }, (_, at) =>
    durationOf(at + 1, { seconds: SECONDS, cv }),
  );
  const work = durations.reduce((sum, duration) => sum + duration, 0);
  const makespan = measured.seconds * 1_000;
  return {
    ...measured,
    overList: makespan / listScheduling(durations, [{ from: 0, executors: EXECUTORS }]),
    overIdeal: makespan / (work / EXECUTORS),
  };
}
