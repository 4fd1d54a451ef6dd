import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Settings } from '../../client/index.ts';
import { clockAhead, SAME_TIME_MS } from '../../cloud/index.ts';
import { runningDev } from '../../dev/home.ts';
import { runningPage } from '../../dev/page-address.ts';
import { messageOf } from '../../errors.ts';
import { checkWritable, stateOfStore } from '../../store/index.ts';
import { whatToDo } from '../home.ts';
import { bytesText, type SettingFlags } from '../setting-options.ts';
import { type Check, failed, failedWith, ok, skipped, warning } from './check.ts';

/** With less free space than this, in bytes, the check gives a warning. */
const LITTLE_ROOM = 1024 ** 3;
/** With less free space than this, in bytes, the check fails. */
const NO_ROOM = 64 * 1024 ** 2;
/** How long the page may take to answer, ms. */
const PAGE_MS = 5_000;

export function checkNode(): Check {
  return ok('Node', `${process.versions.node} (${process.execPath}).`);
}

/** Checks that `foray dev` runs in the home, unless the settings name a model service. */
export function checkHome({ home, serviceUrl, apiKey }: SettingFlags): Check {
  const dev = runningDev(home);
  if (dev) return ok('home', `foray dev runs in ${home} (process ${dev.pid}).`);
  if (serviceUrl !== undefined || apiKey !== undefined)
    return ok('home', `No foray dev runs in ${home}; the settings name a model service.`);
  return warning('home', `No foray dev runs in ${home}.`, whatToDo());
}

/** @param isWorkedOn - whether a worker polls the task queue. A worker makes its store when it starts */
export async function checkStore(
  { home }: SettingFlags,
  { store }: Settings,
  isWorkedOn: boolean,
): Promise<Check> {
  try {
    const { shown, schema } = await stateOfStore(store);
    switch (schema) {
      case 'missing':
        if (runningDev(home)?.store === store)
          return failed(
            'store',
            `The store ${shown} is gone, and foray dev still runs.`,
            'Put the file back, or stop foray dev, put a copy there, and start it again.',
          );
        if (isWorkedOn)
          return failed(
            'store',
            `There is no store at ${shown}, but a worker runs: its store was removed, or it is elsewhere.`,
            'Name the right store with --store or FORAY_STORE. If its file was removed, restore it from a copy and start the workers again.',
          );
        return ok('store', `There is no store at ${shown} yet; the first campaign creates it.`);
      case 'older':
        return ok('store', `${shown} has older tables; the next command brings them up to date.`);
      case 'current':
        checkWritable(store);
        return ok('store', `${shown} is up to date.`);
      case 'newer':
        return failed('store', `The store ${shown} was written by a newer foray.`, 'Update foray.');
    }
  } catch (error) {
    return failedWith('store', error);
  }
}

/** Checks that the page of the home answers and has its store. There is no check if no page runs. */
export async function checkPage({ home }: SettingFlags): Promise<Check[]> {
  const part = 'page';
  const page = await runningPage(resolve(home));
  if (!page) return [];
  try {
    const answer = await fetch(`${page.url}/api/v1/health`, { signal: AbortSignal.timeout(PAGE_MS) });
    if (answer.ok) return [ok(part, `${page.url} answers.`)];
    const { detail = `It answers ${answer.status}.` } = (await answer.json()) as { detail?: string };
    return [failed(part, detail, 'Put the file back, or stop all parts and start them again.')];
  } catch (error) {
    return [failedWith(part, error, 'See the log of the page.')];
  }
}

/** Checks free space and write permission on the disks of the home and of an SQLite store. */
export function checkDisks({ home }: SettingFlags, { store }: Settings): Check[] {
  const file = /^sqlite:(?!:memory:)(.+)$/.exec(store)?.[1];
  const folders = new Set([resolve(home), ...(file === undefined ? [] : [dirname(resolve(file))])]);
  return [...folders].map(checkDisk);
}

function checkDisk(folder: string): Check {
  const part = 'disk';
  const elsewhere = 'Check its permissions, or choose another folder with --home or --store.';
  try {
    const existing = nearest(folder);
    if (!statSync(existing).isDirectory()) return failed(part, `${existing} is not a folder.`, elsewhere);
    accessSync(existing, constants.W_OK);
    const { bavail, bsize } = statfsSync(existing);
    const free = bavail * bsize;
    const message = `${bytesText(free)} are free in ${folder}.`;
    const advice = 'Free disk space: "foray gc" deletes files that no campaign needs.';
    if (free < NO_ROOM) return failed(part, message, advice);
    return free < LITTLE_ROOM ? warning(part, message, advice) : ok(part, message);
  } catch (error) {
    return failed(part, `${folder} cannot be used: ${messageOf(error)}.`, elsewhere);
  }
}

/** The folder, or its nearest parent that exists. */
function nearest(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder));
}

/** Compares this machine's clock with the clocks of the service and, if it has an address, of Temporal's Web UI. */
export async function checkClock(service: string, webUi: string | undefined): Promise<Check> {
  const others = { 'the model service': service, ...(webUi !== undefined && { "Temporal's Web UI": webUi }) };
  const clocks = await Promise.all(
    Object.entries(others).map(async ([name, url]) => ({ name, ahead: await clockAhead(url) })),
  );
  const known = clocks.filter((clock): clock is { name: string; ahead: number } => clock.ahead !== undefined);
  if (known.length === 0) return skipped('clock', 'No server sent its time.');
  const [furthest] = known.toSorted((a, b) => Math.abs(b.ahead) - Math.abs(a.ahead));
  const { name, ahead } = furthest!;
  const names = known.map((clock) => clock.name).join(' and ');
  if (Math.abs(ahead) < SAME_TIME_MS) return ok('clock', `The clock of this machine agrees with ${names}.`);
  const seconds = Math.round(Math.abs(ahead) / 1_000);
  return warning(
    'clock',
    `The clock of ${name} is ${seconds} s ${ahead > 0 ? 'ahead' : 'behind'}.`,
    'Set the clocks of both machines (NTP): times and time left are wrong until then.',
  );
}
