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
  /** The fault that tests the promise, if the promise needs a fault. */
  by?: FaultKind;
  times: number;
  said: string;
  problems: string[];
}

/** Each promise that a soak can test: its number in the list of promises, and its result. */
export function promisesOf(outcome: Outcome, schedule: Schedule, { missing }: Tools): Promised[] {
  return linesFor(outcome).map(({ promise, by, times, said, problems }) => {
    if (times > 0) return { promise, said, problems };
    const needs = { [STORE]: 'postgres', [STORE_FILE]: 'sqlite' }[promise];
    const why =
      needs && needs !== schedule.store ? `this seed has its store in ${schedule.store}` : undefined;
    return {
      promise,
      said: why ?? (by && missing.get(by)) ?? 'the schedule did not test it',
      problems: undefined,
    };
  });
}

const STORE = '3, of PostgreSQL';
const STORE_FILE = '32, of the store';

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
      said: `workers were killed ${workers} times: ${wrong.length} results differ`,
      problems: wrong,
    },
    {
      promise: '2',
      by: 'kill',
      times: times('kill temporal'),
      said: `Temporal was killed ${times('kill temporal')} times: the store has ${findings.campaigns} of ${counts.submitted} acknowledged campaigns; ${late.length} campaigns or actions have not ended`,
      problems: late,
    },
    {
      promise: '3',
      by: 'kill',
      times: times('kill service'),
      said: `the service was killed ${times('kill service')} times: ${left.length} runs have not ended, ${leftovers.processes.length} processes still run`,
      problems: [...left, ...leftovers.processes, ...findings.damaged],
    },
    {
      promise: STORE,
      by: 'kill',
      times: times('kill postgres'),
      said: `PostgreSQL was killed ${times('kill postgres')} times: ${leftovers.damaged.length} faults in its indices, ${wrong.length} results differ`,
      problems: [...leftovers.damaged, ...wrong],
    },
    {
      promise: '4',
      by: 'network',
      times: times('network'),
      said: `the network had ${times('network')} faults: ${open.length} of ${findings.campaigns} campaigns have not ended`,
      problems: open,
    },
    {
      promise: '6',
      times: findings.runs,
      said: `the service began ${findings.runs} runs ${findings.executions} times: ${twice.length} runs completed twice`,
      problems: twice,
    },
    {
      promise: '8',
      times: findings.files,
      said: `${findings.files} files were kept: ${findings.wrongFiles.length} differ; ${damaged.length} faults in databases`,
      problems: [...findings.wrongFiles, ...damaged],
    },
    {
      promise: '9',
      by: 'disk',
      times: times('disk'),
      said: `a disk was full ${times('disk')} times: ${failed.length} runs failed, ${ownEnds.length} processes ended by themselves`,
      problems: [...failed, ...ownEnds],
    },
    {
      promise: '10',
      by: 'clock',
      times: times('clock'),
      said: `the clock was moved ${times('clock')} times: ${outcome.faults.of('address') - outcome.broken.length} of ${outcome.faults.of('address')} addresses stayed valid`,
      problems: outcome.broken,
    },
    {
      promise: '13',
      times: counts.cancelled,
      said: `${counts.cancelled} campaigns were cancelled: ${left.length} runs have not ended, ${lost.length} results are lost`,
      problems: [...left, ...lost],
    },
    {
      promise: '14',
      times: findings.campaigns,
      said: `${findings.campaigns} campaigns have ${findings.rows} results, processes were frozen ${times('freeze')} times: ${wrong.length} results differ, ${lost.length} are lost, ${twice.length} runs completed twice; ${leftovers.files.length} unexpected files; ${memory.said}`,
      problems: all,
    },
    {
      promise: '15',
      times: files,
      said: `${files} files were searched (${(bytes / 1e6).toFixed(0)} MB): ${leftovers.leaks.length} secrets were found`,
      problems: leftovers.leaks,
    },
    {
      promise: '22',
      by: 'models',
      times: times('models'),
      said: `the folder of models was moved away ${times('models')} times: ${failed.length} runs failed, ${versions.length} models have another number of versions`,
      problems: [...failed, ...versions],
    },
    {
      promise: '23',
      by: 'descriptors',
      times: times('descriptors'),
      said: `the descriptors of a process were limited ${times('descriptors')} times: ${failed.length} runs failed, ${ownEnds.length} processes ended by themselves, ${descriptors.length} processes have more descriptors than at first`,
      problems: [...failed, ...ownEnds, ...descriptors],
    },
    {
      promise: '28',
      times: findings.careless,
      said: `${findings.careless} runs left processes and files, and printed much: ${leftovers.processes.length} processes and ${leftovers.files.length} unexpected files are left`,
      problems: [...leftovers.processes, ...leftovers.files],
    },
    {
      promise: STORE_FILE,
      by: 'store',
      times: times('store'),
      said: `the file of the store was taken away ${times('store')} times: ${wrong.length} results differ, ${lost.length} are lost, ${damaged.length} faults in databases`,
      problems: [...wrong, ...lost, ...damaged, ...outcome.broken],
    },
  ];
}

const SHOWN = 8;

/** The line about a promise, and the errors below it. Similar errors are shown once, with their number. */
export function linesOf({ promise, said, problems }: Promised): string[] {
  if (!problems) return [`promise ${promise}  not tried: ${said}`];
  const alike = Map.groupBy(problems, (problem) => causeOf(problem));
  const shown = [...alike.values()].map(
    ([first, ...others]) => `  ${first}${others.length > 0 ? ` (and ${others.length} similar errors)` : ''}`,
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
