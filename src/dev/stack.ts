import { join } from 'node:path';
import { connectTemporal } from '../temporal-connection.ts';
import { API_VERSION } from '../api/index.ts';
import { messageOf } from '../errors.ts';
import { ownModule } from '../package/own-files.ts';
import { FREE_SPACE } from '../system/disk-full.ts';
import {
  type Addresses,
  holdHome,
  homePaths,
  lastPort,
  localKey,
  notePort,
  removeAddresses,
  writeAddresses,
} from './home.ts';
import { loginAddress } from './page-address.ts';
import { Part, type PartOptions } from './part.ts';
import { freePort, wantedPort } from './ports.ts';
import { forgetHome, lockUsualPorts, noteHome } from './running-homes.ts';
import { findTemporalCli, type Report, serverSettings } from './temporal-cli.ts';

const USUAL_PORTS = { temporal: 7233, webUi: 8233, service: 8090, page: 8100 };
const MAIN = ownModule('src/cli/main');
const LIFELINE = ownModule('src/dev/run-with-parent');
const HOST = '127.0.0.1';
const PASSED_ON = ['FORAY_TASK_QUEUE', 'FORAY_SERVICE_RATE', 'FORAY_NOTICES', 'FORAY_NOTIFY'];
/** The maximum number of attempts to start the parts. Another program may take a free port before a part does. */
const TRIES = 4;

export interface StackOptions {
  /** The port of the model service. @default the last port of this home, 8090 or a free port */
  port?: number | undefined;
  /** The folders of models that are served in addition to the shipped models. */
  models?: readonly string[];
  /** The folder for the inputs, files, output and command of failed runs. @default none */
  keepFailed?: string | undefined;
}

export interface Stack {
  addresses: Addresses;
  /** The address of the page, with a code that logs a browser in once. */
  page: string;
  /** The process ids by part. */
  pids: Record<string, number | undefined>;
  stop(): Promise<void>;
}

/**
 * Starts Temporal with its Web UI, the model service, a worker and the page as child processes on this machine, and
 * writes their addresses to the home folder. A part that dies is started again.
 *
 * @throws ForayError HOME_IN_USE, HOME_UNUSABLE, PORT_IN_USE, TEMPORAL_MISSING, PART_FAILED, MODEL_INVALID,
 *   MODEL_UNREADABLE. No part runs after an error
 */
export async function startStack(
  home: string,
  report: Report,
  { port, models = [], keepFailed }: StackOptions = {},
): Promise<Stack> {
  const lock = await holdHome(home);
  let parts: Stack | undefined;
  const stop = async (): Promise<void> => {
    await parts?.stop();
    forgetHome(home);
    removeAddresses(home);
    lock.release();
  };
  try {
    const cli = await findTemporalCli(report);
    // Another foray dev that starts at this moment may take the usual ports. Then its Temporal would answer there, and
    // this foray dev would use it.
    const usualPorts = await lockUsualPorts();
    const hasUsualPorts = usualPorts !== undefined;
    try {
      parts = await startParts(home, { cli, port, models, keepFailed, report, hasUsualPorts }, TRIES);
    } finally {
      usualPorts?.release();
    }
    await writeAddresses(home, parts.addresses);
    await notePort(home, 'servicePort', parts.addresses.service.url);
    const formerPage = lastPort(home, 'pagePort');
    if (formerPage !== undefined && parts.addresses.page !== pageAt(formerPage))
      report(
        `The page is not at ${pageAt(formerPage)} as before, because something else listens there. A browser keeps what was typed into a form for the former address.`,
      );
    await notePort(home, 'pagePort', parts.addresses.page);
  } catch (error) {
    await stop();
    throw error;
  }
  await noteHome(home).catch((error: unknown) =>
    report(`Commands in other folders cannot find this home: ${messageOf(error)}`),
  );
  return { ...parts, stop };
}

interface StartOptions extends StackOptions {
  models: readonly string[];
  /** The path of Temporal's program. */
  cli: string;
  report: Report;
  /** Whether the parts may have the usual ports. */
  hasUsualPorts: boolean;
}

async function startParts(home: string, options: StartOptions, tries: number): Promise<Stack> {
  const { cli, port: wantedServicePort, models, keepFailed, report, hasUsualPorts } = options;
  const paths = homePaths(home);
  const key = await localKey(home);
  const ports = {
    temporal: await freePort(hasUsualPorts ? USUAL_PORTS.temporal : 0),
    webUi: await freePort(hasUsualPorts ? USUAL_PORTS.webUi : 0),
    // a browser keeps what was typed into a form by the address of the page, so it stays the same if possible
    page: await freePort(lastPort(home, 'pagePort') ?? (hasUsualPorts ? USUAL_PORTS.page : 0)),
    // campaigns know the address of their service, so it stays the same, too
    service:
      wantedServicePort === undefined
        ? await freePort(lastPort(home, 'servicePort') ?? USUAL_PORTS.service, USUAL_PORTS.service)
        : await wantedPort(wantedServicePort),
  };
  const addresses: Addresses = {
    pid: process.pid,
    temporal: { address: `${HOST}:${ports.temporal}`, webUi: `http://${HOST}:${ports.webUi}` },
    service: { url: `http://${HOST}:${ports.service}/api/open/${API_VERSION}`, key },
    store: paths.store,
    page: pageAt(ports.page),
  };
  const env = {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => isPassedOn(name))),
    TEMPORAL_CONFIG_FILE: join(home, 'temporal.toml'),
    FORAY_HOME: home,
    // the key of the page stays the same after a restart of a part, like the port, so that programs can continue
    FORAY_KEY: process.env.FORAY_KEY || crypto.randomUUID(),
    FORAY_API_KEY: key,
    FORAY_SERVICE_URL: addresses.service.url,
    FORAY_STORE: addresses.store,
    FORAY_WEB_UI: addresses.temporal.webUi,
    TEMPORAL_ADDRESS: addresses.temporal.address,
    TEMPORAL_NAMESPACE: 'default',
  };
  const part = (
    name: string,
    args: string[],
    options: Pick<PartOptions, 'isReady' | 'reasonIn'> = {},
  ): Part =>
    new Part({
      name,
      command: process.execPath,
      args,
      env,
      logFile: join(paths.logs, `${name.replace(' ', '-')}.log`),
      report,
      ...options,
    });
  const answers = async (url: string): Promise<boolean> =>
    (await fetch(url, { signal: AbortSignal.timeout(1_000) })).ok;

  const temporal = part(
    'Temporal server',
    [
      ...[LIFELINE, cli, 'server', 'start-dev', '--ip', HOST, '--port', String(ports.temporal)],
      ...['--ui-port', String(ports.webUi), '--db-filename', paths.temporal],
      ...serverSettings,
    ],
    {
      isReady: async () => (await isServing(addresses.temporal.address)) && answers(addresses.temporal.webUi),
      reasonIn: (output) => temporalFault(paths.temporal, output),
    },
  );
  // the part itself says that it is ready, because another program may have taken its port and answer there
  const service = part('model service', [
    ...[MAIN, 'service', '--host', HOST, '--port', String(ports.service), '--data', paths.service],
    ...models.flatMap((folder) => ['--models', folder]),
    ...(keepFailed === undefined ? [] : ['--keep-failed', keepFailed]),
  ]);
  const worker = part('worker', [MAIN, 'worker']);
  const ui = part('page', [MAIN, 'ui', '--no-open', '--port', String(ports.page), '--home', home]);
  const parts = [temporal, service, worker, ui];
  const stop = async (): Promise<void> => {
    // clients stop before the servers that they call
    for (const each of parts.toReversed()) await each.stop();
  };
  try {
    await Promise.all([temporal.start(), service.start()]);
    await Promise.all([worker.start(), ui.start()]);
    return {
      addresses,
      // the address is known here, and a note in the home may be of another page
      page: await loginAddress({ url: addresses.page, key: env.FORAY_KEY }),
      pids: { temporal: temporal.pid, service: service.pid, worker: worker.pid, page: ui.pid },
      stop,
    };
  } catch (error) {
    await stop();
    if (tries > 1 && parts.some(({ endedAtOnce }) => endedAtOnce)) {
      return startParts(home, options, tries - 1);
    }
    throw error;
  }
}

/** Whether the parts get a variable of the user's shell. Most TEMPORAL_* and FORAY_* would redirect the parts. */
function isPassedOn(name: string): boolean {
  return !/^(FORAY|TEMPORAL)_/.test(name) || name.startsWith('FORAY_PAYLOAD_') || PASSED_ON.includes(name);
}

function pageAt(port: number): string {
  return `http://${HOST}:${port}`;
}

async function isServing(address: string): Promise<boolean> {
  const connection = await connectTemporal({ address, connectTimeout: 1_000 });
  await connection.close();
  return true;
}

/**
 * Finds a fault of the database in the output of Temporal's server. Its messages do not name the file.
 *
 * @param file - the database of Temporal's server
 */
export function temporalFault(file: string, output: string): string | undefined {
  if (/database disk image is malformed|file is not a database/.test(output))
    return `Its database ${file} is damaged. Move it away, and start again: "foray retry ID" then continues an open campaign.`;
  if (output.includes('database or disk is full'))
    return `The disk of its database ${file} is full. ${FREE_SPACE}`;
  return undefined;
}
