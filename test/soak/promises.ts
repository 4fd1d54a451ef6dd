import { causeOf } from '../../src/campaign/failures.ts';
import type { Findings } from './checker.ts';
import type { Tally } from './faults.ts';
import type { Leftovers } from './leftovers.ts';
import type { FaultKind, Schedule } from './schedule.ts';
import type { Tools } from './tools.ts';

/** Everything that a soak has observed. */
export interface Outcome {
  faults: Tally;
  /** The errors during the faults. */
  broken: string[];
  unacknowledged: string[];
  counts: { submitted: number; cancelled: number; acknowledged: number };
  findings: Findings;
  memory: { said: string; problems: string[] };
  descriptors: string[];
  ownEnds: string[];
  leftovers: Leftovers;
}

/** A promise, and whether it was kept. */
export interface Promised {
  promise: string;
  /** The number of trials, and their result. */
  said: string;
  /** The errors, or undefined if the promise was not tested. */
  problems: string[] | undefined;
}

interface Line {
  promise: string;
  /** The fault that tests the promise. A promise without a fault is always tested. */
  by?: FaultKind;
  times: number;
  said: string;
  problems: string[];
}

/** Each promise that a soak can test, with its result and its number in the list of promises. */
export function promisesOf(outcome: Outcome, schedule: Schedule, { missing }: Tools): Promised[] {
  return linesFor(outcome).map(({ promise, by, times, said, problems }) => {
    if (times > 0) return { promise, said, problems };
    const why =
      promise === STORE && schedule.store === 'sqlite' ? 'this seed has its store in SQLite' : undefined;
    return { promise, said: why ?? (by && missing.get(by)) ?? 'there was none', problems: undefined };
  });
}

const STORE = '3, of PostgreSQL';

function linesFor(outcome: Outcome): Line[] {
  const { faults, findings, leftovers, memory, counts, ownEnds, descriptors } = outcome;
  const { wrong, lost, left, twice, failed, versions, open } = findings;
  const damaged = [...findings.damaged, ...leftovers.damaged];
  const late = [...open, ...outcome.unacknowledged];
  const times = (fault: string): number => faults.of(fault);
  const workers = times('kill worker-1') + times('kill worker-2');
  const { files, bytes } = leftovers.searched;
  const everything = [
    ...wrong,
    ...lost,
    ...left,
    ...twice,
    ...late,
    ...versions,
    ...ownEnds,
    ...outcome.broken,
  ];
  const all = [...everything, ...damaged, ...leftovers.files, ...memory.problems, ...descriptors];
  return [
    {
      promise: '1',
      by: 'kill',
      times: workers,
      said: `workers killed ${workers} times: ${wrong.length} results differ`,
      problems: wrong,
    },
    {
      promise: '2',
      by: 'kill',
      times: times('kill temporal'),
      said: `Temporal killed ${times('kill temporal')} times: of ${counts.submitted} acknowledged campaigns ${findings.campaigns} are there, ${late.length} not at their end`,
      problems: late,
    },
    {
      promise: '3',
      by: 'kill',
      times: times('kill service'),
      said: `the service killed ${times('kill service')} times: ${left.length} runs and ${leftovers.processes.length} processes left`,
      problems: [...left, ...leftovers.processes, ...findings.damaged],
    },
    {
      promise: STORE,
      by: 'kill',
      times: times('kill postgres'),
      said: `PostgreSQL killed ${times('kill postgres')} times: ${leftovers.damaged.length} faults in its indices, ${wrong.length} results differ`,
      problems: [...leftovers.damaged, ...wrong],
    },
    {
      promise: '4',
      by: 'network',
      times: times('network'),
      said: `the network spoilt ${times('network')} times: of ${findings.campaigns} campaigns ${open.length} not over`,
      problems: open,
    },
    {
      promise: '6',
      times: findings.runs,
      said: `${findings.runs} runs at the service, begun ${findings.executions} times: ${twice.length} completed twice`,
      problems: twice,
    },
    {
      promise: '8',
      times: findings.files,
      said: `${findings.files} files kept: ${findings.wrongFiles.length} differ; ${damaged.length} faults in databases`,
      problems: [...findings.wrongFiles, ...damaged],
    },
    {
      promise: '9',
      by: 'disk',
      times: times('disk'),
      said: `a disk full ${times('disk')} times: ${failed.length} runs failed, ${ownEnds.length} processes ended by themselves`,
      problems: [...failed, ...ownEnds],
    },
    {
      promise: '10',
      by: 'clock',
      times: times('clock'),
      said: `the clock moved ${times('clock')} times: ${outcome.faults.of('address') - outcome.broken.length} of ${outcome.faults.of('address')} addresses hold`,
      problems: outcome.broken,
    },
    {
      promise: '13',
      times: counts.cancelled,
      said: `${counts.cancelled} campaigns cancelled: ${left.length} runs left, ${lost.length} results lost`,
      problems: [...left, ...lost],
    },
    {
      promise: '14',
      times: findings.campaigns,
      said: `${findings.campaigns} campaigns with ${findings.rows} results, processes frozen ${times('freeze')} times: ${wrong.length} results differ, ${lost.length} lost, ${twice.length} twice; ${leftovers.files.length} files left; ${memory.said}`,
      problems: all,
    },
    {
      promise: '15',
      times: files,
      said: `${files} files searched (${(bytes / 1e6).toFixed(0)} MB): ${leftovers.leaks.length} hold a secret`,
      problems: leftovers.leaks,
    },
    {
      promise: '22',
      by: 'models',
      times: times('models'),
      said: `the models away ${times('models')} times: ${failed.length} runs failed, ${versions.length} versions retired`,
      problems: [...failed, ...versions],
    },
    {
      promise: '23',
      by: 'descriptors',
      times: times('descriptors'),
      said: `descriptors lowered ${times('descriptors')} times: ${failed.length} runs failed, ${ownEnds.length} processes ended by themselves, ${descriptors.length} hold more than at first`,
      problems: [...failed, ...ownEnds, ...descriptors],
    },
  ];
}

const SHOWN = 8;

/** The line about a promise, and the errors below it. Similar errors are shown once, with their number. */
export function linesOf({ promise, said, problems }: Promised): string[] {
  if (!problems) return [`promise ${promise}  not tried: ${said}`];
  const alike = Map.groupBy(problems, (problem) => causeOf(problem));
  const shown = [...alike.values()].map(
    ([first, ...others]) => `  ${first}${others.length > 0 ? ` (and ${others.length} alike)` : ''}`,
  );
  const more = shown.length > SHOWN ? ['  …'] : [];
  return [
    `promise ${promise}  ${said}  ${problems.length === 0 ? 'ok' : 'FAILED'}`,
    ...shown.slice(0, SHOWN),
    ...more,
  ];
}

export function isBroken(promised: readonly Promised[]): boolean {
  return promised.some(({ problems }) => problems !== undefined && problems.length > 0);
}
