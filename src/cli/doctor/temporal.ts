import { Connection } from '@temporalio/client';
import { type OwnIds, readWorker, type Settings } from '../../client/index.ts';
import { SAME_TIME_MS } from '../../cloud/index.ts';
import { messageOf } from '../../errors.ts';
import { campaignsOnOtherBuilds, deploymentOf, queueState } from '../../temporal-builds.ts';
import { connectTemporal } from '../../temporal-connection.ts';
import { counted } from '../../report/index.ts';
import { shellQuoted } from '../../text/shell-quoted.ts';
import { modelAttribute, ownerAttribute, phaseAttribute } from '../../workflows/search-attributes.ts';
import { type Check, failed, failedWith, ok, skipped, warning } from './check.ts';

const CONNECT_MS = 5_000;
const CALL_MS = 5_000;
/** Codes of gRPC. */
const DEADLINE_EXCEEDED = 4;
const NOT_FOUND = 5;
const UNAVAILABLE = 14;
/** Temporal's number for the type Keyword. */
const KEYWORD = 2;

/** What servers before `MOVES_SINCE` cannot do. */
const CANNOT_MOVE =
  'It cannot move a running campaign to a newer build of the workers: the campaign stays with its build as long as a worker of it is there.';
/** The first version, major and minor, in which a campaign that continues as new moves to the current build. */
const MOVES_SINCE = [1, 30] as const;

/** The first words about the workers on the task queue, if there are any. */
const ON_QUEUE = 'On the task queue';

/** Whether workers poll the task queue, as the checks of Temporal say. */
export function hasWorkers(checks: readonly Check[]): boolean {
  return checks.some(({ part, message }) => part === 'workers' && message.startsWith(ON_QUEUE));
}

const parts = ['namespace', 'search attributes', 'workers', 'builds'];

/** Checks Temporal, its namespace, the search attributes of campaigns, and the workers on the task queue. */
export async function checkTemporal({ temporal, taskQueue }: Settings, own: OwnIds): Promise<Check[]> {
  const { connectionOptions, namespace = 'default' } = temporal;
  const address = connectionOptions.address ?? 'localhost:7233';
  const connection = await connectTemporal({ ...connectionOptions, connectTimeout: CONNECT_MS }).catch(
    (error: unknown) => notConnected(address, error),
  );
  if (!(connection instanceof Connection)) {
    return [connection, ...parts.map((part) => skipped(part, 'Temporal is not reached.'))];
  }
  try {
    return await connection.withDeadline(Date.now() + CALL_MS, () =>
      checkServer(connection, { address, namespace, taskQueue, own }),
    );
  } finally {
    await connection.close();
  }
}

/**
 * The failed check for an error of the connection. A server that answers with an error is reachable: for example, it
 * may refuse the key.
 */
function notConnected(address: string, error: unknown): Check {
  const { code = UNAVAILABLE, details = '' } =
    (error as { cause?: { code?: number; details?: string } }).cause ?? {};
  if (code !== UNAVAILABLE && code !== DEADLINE_EXCEEDED) {
    return failed(
      'Temporal',
      `The Temporal server at ${address} refuses the connection: ${details}`,
      'Check the TEMPORAL_* variables.',
    );
  }
  return failed(
    'Temporal',
    `The Temporal server at ${address} cannot be reached.`,
    'Start one with "foray dev", or set TEMPORAL_ADDRESS.',
  );
}

/** The server, and what the settings name there. */
interface Target {
  address: string;
  namespace: string;
  taskQueue: string;
  own: OwnIds;
}

async function checkServer(connection: Connection, target: Target): Promise<Check[]> {
  const server = await checkVersion(connection, target);
  const namespace = await checkNamespace(connection, target);
  if (namespace.state === 'failed')
    return [
      server,
      namespace,
      ...parts.slice(1).map((part) => skipped(part, 'The namespace cannot be used.')),
    ];
  return [
    server,
    namespace,
    await checkAttributes(connection, target),
    await checkWorkers(connection, target),
    await checkBuilds(connection, target),
  ];
}

async function checkVersion(connection: Connection, { address }: Target): Promise<Check> {
  try {
    const { serverVersion } = await connection.workflowService.getSystemInfo({});
    return ok('Temporal', [`Server ${serverVersion} at ${address}.`, lackOf(serverVersion)].join(' ').trim());
  } catch (error) {
    return failedWith('Temporal', error, 'Check the TEMPORAL_* variables.');
  }
}

/** What a version of the server cannot do for campaigns, as a sentence; empty if it can do all. */
export function lackOf(version: string): string {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [since, sinceMinor] = MOVES_SINCE;
  return major > since || (major === since && minor >= sinceMinor) ? '' : CANNOT_MOVE;
}

async function checkNamespace(connection: Connection, { address, namespace }: Target): Promise<Check> {
  try {
    await connection.workflowService.describeNamespace({ namespace });
    return ok('namespace', `The namespace "${namespace}" exists.`);
  } catch (error) {
    if ((error as { code?: unknown }).code !== NOT_FOUND)
      return failedWith('namespace', error, 'Check the TEMPORAL_* variables.');
    const create = `temporal operator namespace create --namespace ${shellQuoted(namespace)} --address ${address}`;
    return failed(
      'namespace',
      `The Temporal server has no namespace "${namespace}".`,
      `Set TEMPORAL_NAMESPACE to an existing namespace, or create this one: ${create}`,
    );
  }
}

async function checkAttributes(connection: Connection, { address, namespace }: Target): Promise<Check> {
  const part = 'search attributes';
  const names = [modelAttribute, phaseAttribute, ownerAttribute].map(({ name }) => name);
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = names.filter((name) => customAttributes[name] === undefined);
    const mistyped = names.filter((name) => ![undefined, KEYWORD].includes(customAttributes[name] as number));
    if (mistyped.length > 0) {
      return warning(
        part,
        `${mistyped.join(', ')} ${mistyped.length === 1 ? 'is' : 'are'} not of the type Keyword.`,
        'Remove these attributes and add them as Keyword. Until then, campaigns run without them.',
      );
    }
    if (missing.length === 0) return ok(part, `${names.join(', ')} exist.`);
    const flags = missing.map((name) => `--name ${name} --type Keyword`).join(' ');
    return warning(
      part,
      `The Temporal server lacks ${missing.join(', ')}; campaigns run without them.`,
      `Add them: temporal operator search-attribute create ${flags} --namespace ${shellQuoted(namespace)} --address ${address}`,
    );
  } catch (error) {
    return warning(
      part,
      `The search attributes cannot be listed: ${messageOf(error).split('\n')[0]}.`,
      'See docs/guides/operations.md.',
    );
  }
}

async function checkWorkers(connection: Connection, { namespace, taskQueue, own }: Target): Promise<Check> {
  const part = 'workers';
  const pollersOf = async (kind: 'workflow' | 'activity') =>
    (await queueState(connection, namespace, taskQueue, kind)).pollers;
  try {
    const [workflows, activities] = await Promise.all([pollersOf('workflow'), pollersOf('activity')]);
    if (workflows.length === 0 || activities.length === 0) {
      return failed(
        part,
        `No worker works on the task queue "${taskQueue}": campaigns wait.`,
        'Start one with "foray worker", or set FORAY_TASK_QUEUE to the queue of a running worker.',
      );
    }
    const workers = workflows.map(({ identity, build }) => {
      const { name, faults, ahead } = readWorker(identity, own);
      return { name: `${name}${build ? ` (build ${build})` : ''}`, faults, ahead };
    });
    const there = `${ON_QUEUE} "${taskQueue}": ${workers.map(({ name }) => name).join(', ')}.`;
    const wrong = workers.filter(({ faults }) => faults.length > 0);
    if (wrong.length > 0) {
      const faults = wrong.map(({ name, faults }) => `${name}: ${faults.join(', and ')}.`);
      return failed(
        part,
        `${there} Not all of them can work for these settings. ${faults.join(' ')}`,
        'End such a worker, or start it with the right store, service, key and FORAY_PAYLOAD_CODEC. A worker for other campaigns needs its own FORAY_TASK_QUEUE.',
      );
    }
    const apart = workers.filter(({ ahead }) => Math.abs(ahead) > SAME_TIME_MS);
    if (apart.length > 0) {
      const faults = apart.map(({ name, ahead }) => `${name} (by ${Math.abs(ahead) / 1_000} s)`);
      return warning(
        part,
        `${there} The clocks of the model service and of these workers differ: ${faults.join(', ')}.`,
        'Set the clocks of their machines (NTP), and start the workers again: times and time left are wrong until then.',
      );
    }
    return ok(part, there);
  } catch (error) {
    return failedWith(part, error, 'Check the TEMPORAL_* variables.');
  }
}

/** Checks that the workers have a current build, and that the build of each open campaign has a worker. */
async function checkBuilds(
  connection: Connection,
  { address, namespace, taskQueue }: Target,
): Promise<Check> {
  const part = 'builds';
  const { workflowService } = connection;
  try {
    const { current, pollers } = await queueState(connection, namespace, taskQueue);
    const worked = new Set(pollers.map(({ build }) => build));
    const campaigns = await campaignsOnOtherBuilds(workflowService, { namespace, taskQueue, current });
    const unworked = campaigns.filter(({ build }) => !worked.has(build));
    const counts = campaigns.map(({ build, count }) => `${counted(count, 'campaign')} on ${build}`);
    const others =
      counts.length === 0
        ? ''
        : ` Other builds: ${counts.join(', ')}. A paused campaign stays there at least until it goes on or no worker of its build is left.`;
    if (unworked.length > 0) {
      const names = unworked.map(({ build }) => build).join(', ');
      return failed(
        part,
        `No worker is left of the build ${names}.${others}`,
        [...worked].every((build) => build === undefined)
          ? 'Start a worker with "foray worker".'
          : 'Workers of another build take its campaigns over within two minutes, unless they run with --no-current. docs/guides/upgrade.md has other ways.',
      );
    }
    if (current === undefined) {
      const [first] = [...worked].filter((build) => build !== undefined);
      if (first === undefined) return skipped(part, 'No worker has a build.');
      return failed(
        part,
        'No build is the current one, so new campaigns wait.',
        `temporal worker deployment set-current-version --deployment-name ${shellQuoted(deploymentOf(taskQueue))} --build-id ${first} --namespace ${shellQuoted(namespace)} --address ${address}`,
      );
    }
    return worked.has(current)
      ? ok(part, `${current} gets new campaigns.${others}`)
      : failed(
          part,
          `No worker of the current build ${current} is left: new campaigns wait.`,
          'Start one with "foray worker". Otherwise a worker of another build that runs becomes the current one within two minutes, unless it runs with --no-current.',
        );
  } catch (error) {
    return failedWith(part, error, 'Check the TEMPORAL_* variables.');
  }
}
