import { readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildProgram } from '../support/build-program.ts';
import { isBroken, linesOf } from './promises.ts';
import {
  type Entry,
  type FaultKind,
  faultKinds,
  fromLines,
  generate,
  type Schedule,
  toLines,
} from './schedule.ts';
import { shrink } from './shrink.ts';
import { soak } from './soak.ts';
import { findTools, type Tools, triedKinds } from './tools.ts';

/** `npm run test:soak` runs campaigns during many faults, and checks promises of foray (CONTRIBUTING.md). */

const USAGE = `npm run test:soak -- [--minutes N] [--seed S] [--store sqlite|postgres] [--without FAULT,…]
                     [--replay FILE] [--shrink TRIES]
Faults: ${faultKinds.join(', ')}.`;

const { values: flags } = parseArgs({
  options: {
    minutes: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    store: { type: 'string' },
    without: { type: 'string', default: '' },
    replay: { type: 'string' },
    shrink: { type: 'string', default: '0' },
    help: { type: 'boolean', default: false },
  },
});

/** Returns the number in an option. */
function numberOf(name: 'minutes' | 'seed' | 'shrink', least: number): number {
  const number = Number(flags[name]);
  if (Number.isFinite(number) && number >= least) return number;
  throw new Error(`--${name} must be a number of at least ${least}, not "${flags[name]}".\n${USAGE}`);
}

function scheduleOf(tools: Tools): Schedule {
  if (flags.replay !== undefined) {
    const { entries, ...head } = fromLines(readFileSync(flags.replay, 'utf8'));
    const canBeTried = (entry: Entry): boolean => !('fault' in entry) || !tools.missing.has(entry.fault.kind);
    return { ...head, entries: entries.filter(canBeTried) };
  }
  const [seed, minutes] = [numberOf('seed', 0), numberOf('minutes', 0.5)];
  const store = flags.store ?? (tools.hasPostgres && seed % 2 === 0 ? 'postgres' : 'sqlite');
  if (store !== 'sqlite' && store !== 'postgres') throw new Error(`There is no store "${store}".\n${USAGE}`);
  return generate(seed, minutes, { store, kinds: triedKinds(tools) });
}

const say = (line: string): void => console.log(line);

async function fails(schedule: Schedule, tools: Tools): Promise<boolean> {
  const promised = await soak(schedule, tools, say);
  for (const line of promised.flatMap(linesOf)) say(line);
  return isBroken(promised);
}

/** Writes a schedule to a file, and returns the command that repeats it. */
function record(schedule: Schedule, name: string): string {
  const file = join(tmpdir(), `foray-soak-${schedule.seed}-${name}.jsonl`);
  writeFileSync(file, toLines(schedule));
  return `npm run test:soak -- --replay ${file}`;
}

async function main(): Promise<boolean> {
  if (flags.help) {
    say(USAGE);
    return true;
  }
  const without = flags.without.split(',').filter(Boolean);
  const unknown = without.find((kind) => !faultKinds.includes(kind as FaultKind));
  if (unknown) throw new Error(`There is no fault "${unknown}".\n${USAGE}`);
  await buildProgram();
  const tools = findTools(without as FaultKind[]);
  const tries = numberOf('shrink', 0);
  const schedule = scheduleOf(tools);
  const { seed, minutes, store, entries } = schedule;
  const faults = entries.filter((entry) => 'fault' in entry);
  say(
    `seed ${seed}: ${minutes} minutes, ${faults.length} faults, ${entries.length - faults.length} actions, store in ${store}`,
  );
  for (const [kind, why] of tools.missing) say(`not tried: ${kind} (${why})`);
  const again = record(schedule, 'whole');
  if (!(await fails(schedule, tools))) return true;
  say(`Seed ${seed} failed. This command repeats it: ${again}`);
  if (tries > 0) {
    const actions = entries.filter((entry) => !('fault' in entry));
    const withFaults = (part: Entry[]): Schedule => {
      return { ...schedule, entries: [...actions, ...part].sort((a, b) => a.at - b.at) };
    };
    const least = await shrink(faults, (part) => fails(withFaults(part), tools), tries);
    say(`The soak also fails with ${least.length} of ${faults.length} faults:`);
    for (const fault of least) say(`  ${JSON.stringify(fault)}`);
    say(`This command repeats it: ${record(withFaults(least), 'smallest')}`);
  }
  return false;
}

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  // process.exit also ends open requests
  process.on(signal, () => process.exit(code));
}
try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
process.exit();
