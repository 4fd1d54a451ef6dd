import { cpSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../src/errors.ts';
import { Campaigns } from './campaigns.ts';
import { check } from './checker.ts';
import { Faults } from './faults.ts';
import { leftoversOf } from './leftovers.ts';
import { Monitor } from './monitor.ts';
import { isBroken, type Outcome, type Promised, promisesOf } from './promises.ts';
import type { Fault, Schedule } from './schedule.ts';
import type { Tools } from './tools.ts';
import { keepStory, waitsOf } from './waits.ts';
import { startWorld, type World } from './world.ts';

const PROGRESS_MS = 20_000;
/** The time without a finished run after which the remaining campaigns count as stuck, s. */
const STUCK_S = 180;
/** The shortest time limit for the campaigns after the last fault, s. It is as long as the faults if these take longer. */
const LEAST_OVER_S = 600;
/** The time limit for acknowledgements after the last fault, s. */
const ACKNOWLEDGE_S = 180;
/** The time within which unneeded connections must be closed, s. */
const QUIET_S = 90;
/** The time from the start at which the soak notes the usual number of descriptors of each process, s. */
const BASELINE_S = 12;

/** The maximum number of campaigns with wrong or lost results whose stories are kept. */
const STORIES = 10;

/** Carries out a schedule in a new world. Returns a result for each promise. */
export async function soak(
  schedule: Schedule,
  tools: Tools,
  say: (line: string) => void,
): Promise<Promised[]> {
  const world = await startWorld(schedule, tools);
  try {
    const promised = promisesOf(await carriedOut(world, schedule, say), schedule, tools);
    if (isBroken(promised)) {
      const kept = join(tmpdir(), `foray-soak-${schedule.seed}-logs`);
      cpSync(world.logs, kept, { recursive: true });
      say(`The logs of the processes and the stories of wrong campaigns are in ${kept}`);
    }
    return promised;
  } finally {
    await world.close();
  }
}

async function carriedOut(world: World, schedule: Schedule, say: (line: string) => void): Promise<Outcome> {
  const campaigns = new Campaigns(world.foray);
  const faults = new Faults(world);
  await faults.prepare();
  const monitor = new Monitor(world);
  const start = performance.now();
  const clock = (): string => {
    const seconds = Math.floor((performance.now() - start) / 1_000);
    return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  };
  const done: string[] = [];
  const progress = setInterval(() => {
    const { submitted, acknowledged } = campaigns.counts;
    say(
      `${clock()}  ${submitted} campaigns, ${acknowledged} actions acknowledged; ${done.splice(0).join(', ') || 'no faults'}`,
    );
  }, PROGRESS_MS);
  const baseline = setTimeout(() => monitor.setBaseline(), BASELINE_S * 1_000);
  try {
    const underWay: Promise<void>[] = [];
    const broken: string[] = [];
    for (const entry of schedule.entries) {
      await delay(Math.max(0, start + entry.at * 1_000 - performance.now()));
      if ('action' in entry) campaigns.begin(entry.action);
      else {
        done.push(wordsOf(entry.fault));
        underWay.push(
          faults.inflict(entry.fault).catch((error: unknown) => {
            broken.push(`the fault ${wordsOf(entry.fault)} could not be caused: ${messageOf(error)}`);
          }),
        );
      }
    }
    await delay(Math.max(0, start + schedule.minutes * 60_000 - performance.now()));
    await Promise.all(underWay);
    await faults.heal();
    say(`${clock()}  the faults are over; the soak waits for the end of the campaigns`);
    await campaigns.drain(ACKNOWLEDGE_S);
    const mostS = Math.max(LEAST_OVER_S, 60 * schedule.minutes);
    const isOver = await untilOver(world, campaigns, mostS, (open) => {
      if (done.length === 0) done.push(`open: ${open.join(', ')}`);
    });
    campaigns.giveUp();
    if (!isOver)
      for (const id of await campaigns.open())
        for (const line of await waitsOf(world, id)) say(`open: ${id} ${line}`);
    say(`${clock()}  ${isOver ? 'all campaigns are over' : 'not all campaigns are over'}`);
    const memory = monitor.memory();
    const areQuiet = await within(QUIET_S, () => monitor.leakedDescriptors().length === 0);
    say(`${clock()}  the soak checks results, files and processes`);
    const findings = await check(world, campaigns);
    const affected = new Set([...findings.wrong, ...findings.lost].map((line) => line.split(':')[0]!));
    for (const id of [...affected].slice(0, STORIES)) await keepStory(world, id);
    return {
      faults: faults.tally,
      broken: [...broken, ...faults.broken],
      unacknowledged: campaigns.unacknowledged,
      counts: campaigns.counts,
      findings,
      memory,
      descriptors: areQuiet ? [] : monitor.leakedDescriptors(),
      ownEnds: [...world.processes].flatMap(([name, { ownEnds }]) =>
        ownEnds.map((end) => `${name} ended by itself (${end})`),
      ),
      leftovers: await leftoversOf(world),
    };
  } finally {
    clearInterval(progress);
    clearTimeout(baseline);
    monitor.stop();
    campaigns.giveUp();
  }
}

function wordsOf(fault: Fault): string {
  const { kind, seconds, ...rest } = fault;
  const details: object = rest;
  return [kind, ...Object.values(details).map(String), `${seconds} s`].join(' ');
}

/** Waits until all campaigns are over. It gives up at a time limit, and earlier if no run finishes for too long. */
async function untilOver(
  { foray }: World,
  campaigns: Campaigns,
  mostS: number,
  onOpen: (open: string[]) => void,
): Promise<boolean> {
  const end = performance.now() + 1_000 * mostS;
  for (let left = -1; performance.now() < end;) {
    let isOver = false;
    const goesOn = await within(STUCK_S, async () => {
      const open = await campaigns.open();
      isOver = open.length === 0;
      if (isOver) return true;
      onOpen(open);
      const counts = await Promise.all(open.map((id) => foray.counts(id)));
      const before = left;
      left = counts.reduce((sum, { total, done, failed }) => sum + total - done - failed, open.length);
      return before !== left;
    });
    if (isOver || !goesOn) return isOver;
  }
  return false;
}

async function within(seconds: number, probe: () => boolean | Promise<boolean>): Promise<boolean> {
  const end = performance.now() + 1_000 * seconds;
  for (;;) {
    if (await probe()) return true;
    if (performance.now() > end) return false;
    await delay(500);
  }
}
