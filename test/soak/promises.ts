import type { Findings } from './checker.ts';
import type { Tally } from './faults.ts';
import type { Leftovers } from './leftovers.ts';
import type { FaultKind, Schedule } from './schedule.ts';
import type { Tools } from './tools.ts';

/** All that a soak has seen. */
export interface Outcome {
  faults: Tally;
  /** What went wrong while faults were inflicted. */
  broken: string[];
  unacknowledged: string[];
  counts: { submitted: number; cancelled: number; acknowledged: number };
  findings: Findings;
  memory: { said: string; problems: string[] };
  descriptors: string[];
  ownEnds: string[];
  leftovers: Leftovers;
}

/** A promise, and how it was kept. */
export interface Promised {
  promise: string;
  /** How often it was tried, and what came of it. */
  said: string;
  /** Undefined where it was not tried. */
  problems: string[] | undefined;
}

/** One line a promise of those that a soak can speak of, by the number that each has in the list of promises. */
export function promisesOf(outcome: Outcome, { store }: Schedule, { missing }: Tools): Promised[] {
  const { faults, findings, leftovers, memory, counts } = outcome;
  const lines: Promised[] = [];
  const tell = (promise: string, times: number, said: string, problems: string[], why?: string): void => {
    if (times > 0 || problems.length > 0) lines.push({ promise, said, problems });
    else lines.push({ promise, said: why ?? 'the schedule has none', problems: undefined });
  };
  const lacks = (kind: FaultKind): string | undefined => missing.get(kind);
  const workers = faults.of('kill worker-1') + faults.of('kill worker-2');
  const [kills, freezes] = [lacks('kill'), faults.of('freeze')];

  tell(
    '1',
    workers,
    `workers killed ${workers} times: ${findings.wrong.length} results differ`,
    findings.wrong,
    kills,
  );
  const temporal = faults.of('kill temporal');
  const open = [...findings.open, ...outcome.unacknowledged];
  tell(
    '2',
    temporal,
    `Temporal killed ${temporal} times: ${findings.campaigns} of ${counts.submitted} acknowledged campaigns are there, ${open.length} not over`,
    open,
    kills,
  );
  const service = faults.of('kill service');
  tell(
    '3',
    service,
    `the service killed ${service} times: ${findings.left.length} runs left, ${leftovers.processes.length} processes left`,
    [...findings.left, ...leftovers.processes, ...findings.damaged],
    kills,
  );
  const postgres = faults.of('kill postgres');
  tell(
    '3, the store',
    postgres,
    `PostgreSQL killed ${postgres} times: ${leftovers.damaged.length} faults in it`,
    leftovers.damaged,
    store === 'sqlite' ? 'this seed has its store in SQLite' : kills,
  );
  const network = faults.of('network');
  tell(
    '4',
    network,
    `the network spoilt ${network} times: ${findings.open.length} of ${findings.campaigns} campaigns not over`,
    findings.open,
    lacks('network'),
  );
  tell(
    '6',
    findings.runs,
    `${findings.runs} runs at the service, begun ${findings.executions} times: ${findings.twice.length} completed twice`,
    findings.twice,
  );
  tell('8', findings.files, `${findings.files} files kept: ${findings.wrongFiles.length} differ`, [
    ...findings.wrongFiles,
    ...leftovers.damaged,
  ]);
  const disk = faults.of('disk');
  tell(
    '9',
    disk,
    `a disk full ${disk} times: ${outcome.ownEnds.length} processes ended by themselves`,
    outcome.ownEnds,
    lacks('disk'),
  );
  const clock = faults.of('clock');
  tell(
    '10',
    clock,
    `the clock moved ${clock} times: ${faults.of('address')} addresses hold`,
    outcome.broken,
    lacks('clock'),
  );
  tell(
    '13',
    counts.cancelled,
    `${counts.cancelled} campaigns cancelled: ${findings.left.length} runs left, ${findings.lost.length} results lost`,
    [...findings.left, ...findings.lost],
  );
  tell(
    '14',
    findings.rows,
    `${findings.campaigns} campaigns, ${findings.rows} results, processes stopped for seconds ${freezes} times: ${findings.wrong.length} differ, ${findings.twice.length} twice, ${findings.lost.length} lost, ${leftovers.files.length} files left; ${memory.said}`,
    [...findings.wrong, ...findings.lost, ...leftovers.files, ...memory.problems, ...outcome.descriptors],
  );
  tell(
    '15',
    leftovers.searched.files,
    `${leftovers.searched.files} files searched (${(leftovers.searched.bytes / 1e6).toFixed(0)} MB): ${leftovers.leaks.length} hold a secret`,
    leftovers.leaks,
  );
  tell('21', 0, '', [], 'the soak replaces no file');
  const models = faults.of('models');
  tell(
    '22',
    models,
    `the models away ${models} times: ${findings.failed.length} runs failed, ${findings.versions.length} versions retired`,
    [...findings.failed, ...findings.versions],
    lacks('models'),
  );
  const descriptors = faults.of('descriptors');
  tell(
    '23',
    descriptors,
    `descriptors lowered ${descriptors} times: ${findings.failed.length} runs failed, ${outcome.ownEnds.length} processes ended by themselves, ${outcome.descriptors.length} hold more than at first`,
    [...findings.failed, ...outcome.ownEnds, ...outcome.descriptors],
    lacks('descriptors'),
  );
  return lines;
}

const SHOWN = 5;

export function linesOf({ promise, said, problems }: Promised): string[] {
  if (!problems) return [`promise ${promise}  not tried: ${said}`];
  const verdict = problems.length === 0 ? 'ok' : 'FAILED';
  const more = problems.length > SHOWN ? [`  and ${problems.length - SHOWN} more`] : [];
  return [
    `promise ${promise}  ${said}  ${verdict}`,
    ...problems.slice(0, SHOWN).map((problem) => `  ${problem}`),
    ...more,
  ];
}

export function isBroken(promised: readonly Promised[]): boolean {
  return promised.some(({ problems }) => problems !== undefined && problems.length > 0);
}
