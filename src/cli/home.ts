import { relative, resolve } from 'node:path';
import type { Settings } from '../client/index.ts';
import { runningDev } from '../dev/home.ts';
import { runningHomes } from '../dev/running-homes.ts';
import { ForayError } from '../errors.ts';
import { settingsFrom, temporalSettings } from '../settings/settings.ts';
import { unreachable } from '../temporal-errors.ts';
import { shellQuoted } from '../text/shell-quoted.ts';
import type { SettingFlags } from './setting-options.ts';
import { commandName } from './command-name.ts';

/** Maximum number of homes that a hint names. */
const MOST_NAMED = 3;

/**
 * The settings of a command that needs the model service.
 * @throws ForayError DEV_NOT_RUNNING when neither the address nor the key of a service is given, and no `foray dev`
 *   runs in the home
 */
export function settingsWithService(flags: SettingFlags): Settings {
  if (flags.serviceUrl === undefined && flags.apiKey === undefined && !runningDev(flags.home)) {
    throw new ForayError('DEV_NOT_RUNNING', notRunning(flags.home), {
      hint: `${whatToDo()} To use another model service, give --service-url and --api-key.`,
    });
  }
  return settingsFrom(flags);
}

/** A hint for a command whose home has no store. The user may have forgotten to name another home. */
export function hintWithoutStore(home: string): string {
  return runningDev(home)
    ? `Submit a campaign first: ${commandName()} submit FILE.`
    : `${notRunning(home)} ${whatToDo()}`;
}

/**
 * A hint for an open campaign whose Temporal server cannot be reached. Undefined if a `foray dev` runs in the home, if
 * the user has named another server, and for any other reason why the campaign cannot continue.
 */
export function hintWithoutTemporal(flags: SettingFlags, why: string): string | undefined {
  // with '' as the usual address, the result is '' if the user has named none
  const isNamed = temporalSettings('').connectionOptions.address !== '';
  if (isNamed || runningDev(flags.home) || why !== unreachable(settingsFrom(flags)).message) return undefined;
  return `${notRunning(flags.home)} ${whatToDo()}`;
}

function notRunning(home: string): string {
  return `No foray dev runs in the home ${home}.`;
}

/** A hint that says how to start `foray dev`, or how to name the home in which a `foray dev` runs. */
export function whatToDo(): string {
  const homes = runningHomes();
  if (homes.length === 0) return `Start one with "${commandName()} dev", or choose another home with --home.`;
  const flags = homes.slice(0, MOST_NAMED).map((home) => `--home ${shellQuoted(shown(home))}`);
  const more = homes.length > MOST_NAMED ? ` (and ${homes.length - MOST_NAMED} more)` : '';
  return `A foray dev runs in another home: add ${flags.join(' or ')}${more}.`;
}

/** The path from the working directory or from the root, whichever is shorter. */
function shown(home: string): string {
  const path = relative('', home);
  return path.length < resolve(home).length ? path : home;
}
