import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { closedPhases } from '../../src/campaign/types.ts';
import type { Campaigns } from './campaigns.ts';
import { type CampaignCourse, differences, failureOf, families, hashOf, runsOf } from './expected.ts';
import type { World } from './world.ts';

/** The result of the check at the end: numbers, and for each question the errors as sentences. */
export interface Findings {
  campaigns: number;
  rows: number;
  files: number;
  /** `runs` is the number of runs that the service has. `executions` is how often it began to execute a run. */
  runs: number;
  executions: number;
  /** The number of runs whose program leaves processes and files. */
  careless: number;
  open: string[];
  wrong: string[];
  lost: string[];
  left: string[];
  twice: string[];
  failed: string[];
  versions: string[];
  wrongFiles: string[];
  damaged: string[];
}

/** A run of the service: its key and its status. */
interface ServiceRun {
  key: string;
  value: number;
  status: string;
  failure: string | null;
}

export async function check(world: World, campaigns: Campaigns): Promise<Findings> {
  const { foray } = world;
  const findings: Findings = {
    campaigns: 0,
    rows: 0,
    files: 0,
    runs: 0,
    executions: 0,
    careless: 0,
    open: [],
    wrong: [],
    lost: [],
    left: [],
    twice: [],
    failed: [],
    versions: [],
    wrongFiles: [],
    damaged: [],
  };
  const runs = checkService(world, findings);
  const completed = new Set(runs.filter(({ status }) => status === 'COMPLETED').map(({ key }) => key));
  const courses = [...campaigns.courses.values()].filter(({ plans }) => plans.length > 0);
  const owners = ownersOf(courses);
  for (const course of courses) {
    const { id } = course;
    const record = await foray['store'].getCampaign(id);
    if (!record) {
      findings.wrong.push(`${id}: the submission was acknowledged, but the store does not have the campaign`);
      continue;
    }
    findings.campaigns += 1;
    if (!closedPhases.includes(record.phase)) findings.open.push(`${id} is ${record.phase}`);
    const rows = await Array.fromAsync(foray['store'].results(id));
    findings.rows += rows.length;
    findings.wrong.push(...differences(course, record.phase, rows));
    const { running, queued } = await foray['store'].counts(id);
    if (running + queued > 0) findings.left.push(`${id}: ${running + queued} runs are open in the store`);
    const had = new Set(rows.map(({ point, replication }) => `${point}/${replication}`));
    for (const [key, { value, seed }] of runsOf(course.plans.at(-1)!)) {
      const run = keyOf(course.plans[0]!.family, value, seed);
      if (completed.has(run) && !had.has(key) && owners.get(run)?.size === 1)
        findings.lost.push(
          `${id}: the service has completed value ${value}, seed ${seed}, but the store has no result`,
        );
    }
    await checkFiles(world, course, findings);
  }
  return findings;
}

const keyOf = (family: number, value: number, seed: number): string => `${family}/${value}/${seed}`;

function familyOf(inputs: Record<string, string>): number {
  return families.findIndex(
    ({ milliseconds, bad, trace }) =>
      Number(inputs['Milliseconds']) === milliseconds &&
      Number(inputs['Bad']) === bad &&
      inputs['Trace'] === String(trace),
  );
}

/** For each key of a run, the ids of the campaigns that have the run. */
function ownersOf(courses: readonly CampaignCourse[]): Map<string, Set<string>> {
  const owners = new Map<string, Set<string>>();
  for (const { id, plans } of courses)
    for (const plan of plans)
      for (const { value, seed } of runsOf(plan).values()) {
        const key = keyOf(plan.family, value, seed);
        owners.set(key, (owners.get(key) ?? new Set()).add(id));
      }
  return owners;
}

function checkService({ disks }: World, findings: Findings): ServiceRun[] {
  const db = new DatabaseSync(join(disks.service, 'service.db'), { readOnly: true });
  try {
    findings.damaged.push(...integrityOf(db, 'the service'));
    const versions = db
      .prepare(
        "SELECT name, count(*) AS count FROM versions JOIN models ON models.id = model_id WHERE name IN ('Soak', 'Careless') GROUP BY name",
      )
      .all() as { name: string; count: number }[];
    for (const { name, count } of versions)
      if (count !== 1) findings.versions.push(`the model ${name} has ${count} versions`);
    const rows = db.prepare('SELECT identity, inputs, status, failure, executions FROM runs').all();
    const completed = new Set<string>();
    const runs = rows.map((row) => {
      const { identity, inputs, status, failure, executions } = row as Record<string, string>;
      findings.executions += Number(executions);
      const of = JSON.parse(inputs!) as Record<string, string>;
      const value = Number(of['Value']);
      if (status === 'COMPLETED' && completed.has(identity!))
        findings.twice.push(`value ${value} completed twice`);
      if (status === 'COMPLETED') completed.add(identity!);
      if (status === 'FRESH' || status === 'RUNNING')
        findings.left.push(`value ${value} is ${status} at the service`);
      const family = familyOf(of);
      if (families[family]?.model === 'Careless') findings.careless += 1;
      if (status === 'FAILED' && !failure!.includes(failureOf(family, value)))
        findings.failed.push(`value ${value} failed: ${failure}`);
      return {
        key: keyOf(family, value, Number(of['{RANDOM_SEED}'])),
        value,
        status: status!,
        failure: failure!,
      };
    });
    findings.runs = runs.length;
    return runs;
  } finally {
    db.close();
  }
}

/** The errors that the integrity check of a SQLite database finds. The check also works while other processes write. */
export function integrityOf(db: DatabaseSync, whose: string): string[] {
  const rows = db.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[];
  return rows
    .filter(({ integrity_check: said }) => said !== 'ok')
    .map(({ integrity_check: said }) => `the database of ${whose}: ${said}`);
}

/** Checks that the files that a campaign keeps are in the store and have the expected content. */
async function checkFiles(
  { foray }: World,
  { id, plans, wasEnded }: CampaignCourse,
  findings: Findings,
): Promise<void> {
  const contents = [...runsOf(plans.at(-1)!).values()]
    .map(({ file }) => file)
    .filter((file) => file !== null);
  if (contents.length === 0) return;
  const hashes = contents.map(hashOf);
  const kept = await foray['store'].keptFiles(id, hashes);
  const had = new Set<string>();
  for await (const { outputs } of foray['store'].results(id)) {
    const value = JSON.parse(outputs['Trace file'] ?? 'null') as { hash: string } | null;
    if (value) had.add(value.hash);
  }
  for (const [at, hash] of hashes.entries()) {
    if (!had.has(hash)) continue;
    const name = kept.get(hash);
    if (name === undefined && wasEnded) continue;
    findings.files += 1;
    const content = name === undefined ? undefined : await foray['store'].getFile(name);
    if (!content || Buffer.from(content).toString() !== contents[at])
      findings.wrongFiles.push(`${id}: the file ${hash} ${content ? 'has another content' : 'is not kept'}`);
  }
}
