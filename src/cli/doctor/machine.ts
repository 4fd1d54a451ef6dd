import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Settings } from '../../client/index.ts';
import { runningDev } from '../../dev/home.ts';
import { messageOf } from '../../errors.ts';
import { stateOfStore } from '../../store/index.ts';
import { whatToDo } from '../home.ts';
import { bytesText, type SettingFlags } from '../settings.ts';
import { type Check, failed, failedWith, ok, skipped, warning } from './check.ts';

/** A disk with less room is full soon, and with less than the second one by the next campaign. */
const LITTLE_ROOM = 1024 ** 3;
const NO_ROOM = 64 * 1024 ** 2;
const CLOCK_MS = 5_000;
/** A header Date is whole seconds, and a moment old. Clocks that differ by less do no harm. */
const FAR_APART_MS = 10_000;

export function checkNode(): Check {
  return ok('Node', `${process.versions.node} (${process.execPath}).`);
}

/** Whether `foray dev` runs in the home, where nothing else says where the service is. */
export function checkHome({ home, serviceUrl, apiKey }: SettingFlags): Check {
  const dev = runningDev(home);
  if (dev) return ok('home', `foray dev runs in ${home} (process ${dev.pid}).`);
  if (serviceUrl !== undefined || apiKey !== undefined)
    return ok('home', `No foray dev runs in ${home}; the settings name a model service.`);
  return warning('home', `No foray dev runs in ${home}.`, whatToDo());
}

export async function checkStore({ store }: Settings): Promise<Check> {
  try {
    const { shown, schema } = await stateOfStore(store);
    switch (schema) {
      case 'missing':
        return ok('store', `There is none at ${shown} yet; the first campaign makes it.`);
      case 'older':
        return ok('store', `${shown} is of an earlier foray; the next command brings it up to date.`);
      case 'current':
        return ok('store', `${shown} is up to date.`);
      case 'newer':
        return failed('store', `The store ${shown} was written by a newer foray.`, 'Update foray.');
    }
  } catch (error) {
    return failedWith('store', error);
  }
}

/** Room on the disks of the home and of a store that is a file, and whether they can be written. */
export function checkDisks({ home }: SettingFlags, { store }: Settings): Check[] {
  const file = /^sqlite:(?!:memory:)(.+)$/.exec(store)?.[1];
  const folders = new Set([resolve(home), ...(file === undefined ? [] : [dirname(resolve(file))])]);
  return [...folders].map(checkDisk);
}

function checkDisk(folder: string): Check {
  const part = 'disk';
  const elsewhere = 'Check its permissions, or name another folder with --home or --store.';
  try {
    const there = nearest(folder);
    if (!statSync(there).isDirectory()) return failed(part, `${there} is not a folder.`, elsewhere);
    accessSync(there, constants.W_OK);
    const { bavail, bsize } = statfsSync(there);
    const free = bavail * bsize;
    const message = `${bytesText(free)} are free in ${folder}.`;
    const advice = 'Make room: "foray gc" deletes what no campaign needs.';
    if (free < NO_ROOM) return failed(part, message, advice);
    return free < LITTLE_ROOM ? warning(part, message, advice) : ok(part, message);
  } catch (error) {
    return failed(part, `${folder} cannot be used: ${messageOf(error)}.`, elsewhere);
  }
}

/** The folder, or what there is of the path to it. */
function nearest(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder));
}

/** This machine's clock beside those of the service and of Temporal's Web UI. */
export async function checkClock({ service, webUi }: Settings): Promise<Check> {
  const others = { 'the model service': service.url, "Temporal's Web UI": webUi };
  const told = await Promise.all(
    Object.entries(others).map(async ([name, url]) => ({ name, ahead: await aheadOf(url) })),
  );
  const known = told.filter((clock): clock is { name: string; ahead: number } => clock.ahead !== undefined);
  if (known.length === 0) return skipped('clock', 'No server told the time.');
  const [furthest] = known.toSorted((a, b) => Math.abs(b.ahead) - Math.abs(a.ahead));
  const { name, ahead } = furthest!;
  const names = known.map((clock) => clock.name).join(' and ');
  if (Math.abs(ahead) < FAR_APART_MS) return ok('clock', `It agrees with ${names}.`);
  const seconds = Math.round(Math.abs(ahead) / 1_000);
  return warning(
    'clock',
    `The clock of ${name} is ${seconds} s ${ahead > 0 ? 'ahead' : 'behind'}.`,
    'Set the clocks of both machines (NTP): times and time left are wrong until then.',
  );
}

/** Milliseconds that a server's clock is ahead of ours; undefined where it does not say. */
async function aheadOf(url: string): Promise<number | undefined> {
  try {
    const before = Date.now();
    const response = await fetch(url, {
      method: 'HEAD',
      redirect: 'manual',
      signal: AbortSignal.timeout(CLOCK_MS),
    });
    const time = Date.parse(response.headers.get('date') ?? '');
    return Number.isNaN(time) ? undefined : time - (before + Date.now()) / 2;
  } catch {
    return undefined;
  }
}
