import { userInfo } from 'node:os';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { API_VERSION } from '../api/index.ts';
import type { Settings, TemporalSettings } from '../client/index.ts';
import { type Addresses, homePaths, runningDev } from '../dev/home.ts';
import { ForayError, messageOf } from '../errors.ts';

/** The settings that a person gives, each as a variable of the environment; a command has flags of the same names. */
export const variables = {
  home: 'FORAY_HOME',
  serviceUrl: 'FORAY_SERVICE_URL',
  apiKey: 'FORAY_API_KEY',
  apiKeyHeader: 'FORAY_API_KEY_HEADER',
  serviceRate: 'FORAY_SERVICE_RATE',
  store: 'FORAY_STORE',
  taskQueue: 'FORAY_TASK_QUEUE',
  owner: 'FORAY_OWNER',
  webUi: 'FORAY_WEB_UI',
} as const;

export const DEFAULT_HOME = '.foray';
/** What FORAY_TASK_QUEUE is when nobody says. */
export const DEFAULT_TASK_QUEUE = 'foray';
const DEFAULT_SERVICE = 'http://127.0.0.1:8090';
const DEFAULT_TEMPORAL = '127.0.0.1:7233';
const DEFAULT_UI_PORT = 8233;

/** What a person has given, the rest is found by {@link settingsFrom}. */
export interface GivenSettings {
  home: string;
  serviceUrl?: string | undefined;
  apiKey?: string | undefined;
  apiKeyHeader?: string | undefined;
  serviceRate?: number | undefined;
  store?: string | undefined;
  taskQueue: string;
  owner: string;
  webUi?: string | undefined;
}

/** The name of whoever runs this; a container's user may have none. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}

/**
 * The settings that the command line has when it is given none: those of the environment (`FORAY_*`, `TEMPORAL_*`), then of a running
 * `foray dev` whose home is `.foray` in the working directory or FORAY_HOME, then the usual addresses.
 *
 * @throws ForayError USAGE where the environment says what cannot be
 */
export function settingsFromEnvironment(): Settings {
  const given = (name: keyof typeof variables): string | undefined =>
    process.env[variables[name]] || undefined;
  const rate = given('serviceRate');
  if (rate !== undefined && !(Number(rate) > 0)) {
    throw new ForayError('USAGE', `${variables.serviceRate} is "${rate}", and not a number above 0.`);
  }
  return settingsFrom({
    home: given('home') ?? DEFAULT_HOME,
    serviceUrl: given('serviceUrl'),
    apiKey: given('apiKey'),
    apiKeyHeader: given('apiKeyHeader'),
    serviceRate: rate === undefined ? undefined : Number(rate),
    store: given('store'),
    taskQueue: given('taskQueue') ?? DEFAULT_TASK_QUEUE,
    owner: given('owner') ?? userName(),
    webUi: given('webUi'),
  });
}

/** What is given wins; then what a running foray dev of this home wrote; then the usual addresses. */
export function settingsFrom(given: GivenSettings): Settings {
  const dev = runningDev(given.home);
  const temporal = temporalConfig(dev);
  return {
    service: {
      url: serviceRoot(given.serviceUrl ?? dev?.service.url ?? DEFAULT_SERVICE),
      key: given.apiKey ?? dev?.service.key ?? '',
      keyHeader: given.apiKeyHeader,
      rate: given.serviceRate,
    },
    store: given.store ?? dev?.store ?? homePaths(given.home).store,
    taskQueue: given.taskQueue,
    owner: given.owner,
    temporal,
    webUi:
      (given.webUi && address(given.webUi, '--web-ui', variables.webUi).href) ??
      dev?.temporal.webUi ??
      usualUi(temporal.connectionOptions.address),
  };
}

/** Temporal's own TEMPORAL_* variables and profile file, when they say where a server is. */
function temporalConfig(dev: Addresses | undefined): TemporalSettings {
  const config = temporalProfile();
  const address = config.connectionOptions.address ?? dev?.temporal.address ?? DEFAULT_TEMPORAL;
  return {
    namespace: config.namespace ?? 'default',
    connectionOptions: { ...config.connectionOptions, address },
  };
}

function temporalProfile(): TemporalSettings {
  try {
    // its type has all that may be given to a connection; a profile has these
    return loadClientConnectConfig() as TemporalSettings;
  } catch (error) {
    throw new ForayError('USAGE', `Temporal's settings cannot be read: ${messageOf(error).split('\n')[0]}.`, {
      hint: 'Check the TEMPORAL_* variables and the profile file.',
    });
  }
}

/** The root address of the interface; of a plain origin, with the version that foray speaks. */
function serviceRoot(url: string): string {
  const { origin, pathname } = address(url, '--service-url', variables.serviceUrl);
  const path = pathname.replace(/(?<!\/)\/+$/, '');
  return `${origin}${path === '' ? `/api/open/${API_VERSION}` : path}`;
}

function address(text: string, flag: string, variable: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new ForayError('USAGE', `"${text}" is not an http or https address.`, {
    hint: `Check ${flag} or ${variable}.`,
  });
}

function usualUi(address: string | undefined): string {
  const host = (address ?? DEFAULT_TEMPORAL).replace(/:\d+$/, '');
  return `http://${host}:${DEFAULT_UI_PORT}`;
}
