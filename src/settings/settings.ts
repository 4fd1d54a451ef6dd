import { userInfo } from 'node:os';
import { loadClientConnectConfig } from '@temporalio/envconfig';
import { API_VERSION } from '../api/index.ts';
import type { Settings, TemporalSettings } from '../client/index.ts';
import { type Addresses, homePaths, runningDev } from '../dev/home.ts';
import { ForayError, messageOf } from '../errors.ts';

/** The environment variable of each setting. Commands have flags of the same names. */
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
  notify: 'FORAY_NOTIFY',
} as const;

export const DEFAULT_HOME = '.foray';
/** The default of FORAY_TASK_QUEUE. */
export const DEFAULT_TASK_QUEUE = 'foray';
const DEFAULT_SERVICE = 'http://127.0.0.1:8090';
const DEFAULT_TEMPORAL = '127.0.0.1:7233';
const DEFAULT_UI_PORT = 8233;

/** The settings that a person has given, and the defaults of three of them. {@link settingsFrom} adds the others. */
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
  /** Names, separated by commas. */
  notify?: string | undefined;
}

/** The name of the current user. A user in a container may have none. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}

/**
 * The settings of a command without options. They come from the environment (`FORAY_*`, `TEMPORAL_*`), then from a
 * running `foray dev` whose home is `.foray` in the working directory or FORAY_HOME, then from the default addresses.
 *
 * @throws ForayError USAGE when a variable of the environment has an invalid value
 */
export function settingsFromEnvironment(): Settings {
  const given = (name: keyof typeof variables): string | undefined =>
    process.env[variables[name]] || undefined;
  const rate = given('serviceRate');
  if (rate !== undefined && !(Number(rate) > 0)) {
    throw new ForayError('USAGE', `${variables.serviceRate} is "${rate}", which is not a number above 0.`);
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
    notify: given('notify'),
  });
}

/** The settings of the parts of a running foray dev. The user's own are the task queue, the name and the codec of payloads. */
export function settingsOfDev({ service, store, temporal }: Omit<Addresses, 'pid' | 'page'>): Settings {
  return {
    service,
    store,
    taskQueue: process.env[variables.taskQueue] || DEFAULT_TASK_QUEUE,
    owner: userName(),
    temporal: {
      connectionOptions: { address: temporal.address },
      namespace: 'default',
      payloadCodec: payloadCodec(),
    },
    webUi: temporal.webUi,
  };
}

/** Completes the given settings: first from a running foray dev of this home, then with the default addresses. */
export function settingsFrom(given: GivenSettings): Settings {
  const dev = runningDev(given.home);
  const temporal = temporalSettings(dev?.temporal.address);
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
    page: dev?.page,
    notify: given.notify ? given.notify.split(',').map((name) => name.trim()) : undefined,
  };
}

/**
 * The connection in Temporal's own TEMPORAL_* variables and profile file, and the codec of payloads.
 *
 * @param other - the address if neither the variables nor the file has one
 */
export function temporalSettings(other: string = DEFAULT_TEMPORAL): TemporalSettings {
  const config = temporalProfile();
  const address = config.connectionOptions.address ?? other;
  return {
    namespace: config.namespace ?? 'default',
    connectionOptions: { ...config.connectionOptions, address },
    payloadCodec: payloadCodec(),
  };
}

/** The module with the codecs of payloads, from the environment. */
function payloadCodec(): string | undefined {
  return process.env.FORAY_PAYLOAD_CODEC || undefined;
}

function temporalProfile(): TemporalSettings {
  try {
    // the type of the SDK allows more than a profile can hold
    return loadClientConnectConfig() as TemporalSettings;
  } catch (error) {
    throw new ForayError('USAGE', `Temporal's settings cannot be read: ${messageOf(error).split('\n')[0]}.`, {
      hint: 'Check the TEMPORAL_* variables and the profile file.',
    });
  }
}

/**
 * The root address of the interface. A plain origin gets the path of the version that foray uses. Repeated slashes become
 * one, because a file of settings may put a path after an address that ends with a slash.
 */
export function serviceRoot(url: string): string {
  const { origin, pathname } = address(url, '--service-url', variables.serviceUrl);
  const path = pathname.replaceAll(/\/+/g, '/').replace(/\/$/, '');
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
