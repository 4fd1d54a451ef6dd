import { NativeConnection, Worker, type WorkerDeploymentOptions } from '@temporalio/worker';
import { Courses, createActivities } from './src/activities/index.ts';
import {
  cloudClient,
  serviceAnswers,
  type Settings,
  type WorkerFacts,
  workerIdentity,
} from './src/client/index.ts';
import { clockAhead, CloudClient, isCloudError, SAME_TIME_MS } from './src/cloud/index.ts';
import { buildIdOf, workflowBundle } from './src/dev/workflow-bundle.ts';
import { CurrentBuild } from './src/current-build.ts';
import { ForayError, messageOf } from './src/errors.ts';
import { installRuntime, logLine } from './src/dev/temporal-log.ts';
import { type Needs, serveHealth } from './src/http/health.ts';
import { dataConverter } from './src/payload-codec.ts';
import { fileOfStore, openStore, type Store, tellLost } from './src/store/index.ts';
import { deploymentOf } from './src/temporal-builds.ts';
import { requireNamespace, untilCutOff } from './src/temporal-connection.ts';
import { connectError, DEFAULT_NAMESPACE } from './src/temporal-errors.ts';
import { tracing } from './src/tracing.ts';

/**
 * Time that activities get to finish when a worker stops. After that they are cancelled, and another worker runs them
 * again.
 */
const GRACE = '3s';
/** After this time, a worker that stops ends without telling Temporal, which does not answer. */
const CUT_OFF_MS = 7_000;
/** How long Temporal reserves a campaign's next workflow task for the worker that executed the previous task. */
const STICKY = '2s';
/** How long a worker asks the model service about itself when it starts, ms. */
const FACTS_MS = 5_000;
/** How long Temporal and the model service may take to answer a question about them, ms. */
const ASK_MS = 2_000;
/** Maximum number of activities at once: ticks of campaigns run in parallel, and each makes parallel requests. */
const ACTIVITIES_AT_ONCE = 16;
/**
 * Maximum number of workflow tasks at once. One thread executes them, so more of them only wait longer for it. On a busy
 * machine, they would all exceed their timeout, and each would be done again.
 */
const STEPS_AT_ONCE = 4;

/**
 * Options of a worker of a build. A campaign stays with the build that started it. When its workflow continues as new, it
 * moves to the current build, if the server supports this.
 */
export function deploymentOptions(taskQueue: string, buildId: string): WorkerDeploymentOptions {
  return {
    version: { deploymentName: deploymentOf(taskQueue), buildId },
    useWorkerVersioning: true,
    defaultVersioningBehavior: 'PINNED',
  };
}

export interface WorkerOptions {
  /** Whether this worker makes its build the current one, and takes campaigns over. @default true */
  current?: boolean;
  /** The address for metrics of Temporal's SDK and of foray. @default no metrics */
  metrics?: { host: string; port: number } | undefined;
  /** The address for answers about the worker's health. @default no answers */
  health?: { host: string; port: number } | undefined;
  /** The path of the file of notices. */
  notices?: string | undefined;
  /** Receives a line for the operator. */
  tell?: (line: string) => void;
}

/** @throws ForayError PORT_IN_USE */
function installTelemetry(metrics: WorkerOptions['metrics']): void {
  if (!metrics) return installRuntime();
  const { host, port } = metrics;
  const bindAddress = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const prometheus = {
    bindAddress,
    countersTotalSuffix: true,
    unitSuffix: true,
    useSecondsForDurations: true,
  };
  try {
    installRuntime({ metrics: { prometheus } });
  } catch (error) {
    throw new ForayError('PORT_IN_USE', `Metrics cannot be served at ${bindAddress}: ${messageOf(error)}.`, {
      hint: 'Choose another address with --metrics.',
    });
  }
}

function warn(message: string): void {
  logLine({ level: 'WARN', message, timestampNanos: process.hrtime.bigint() });
}

/**
 * What the model service says at the start of a worker. A worker with a wrong key or a wrong clock works on: somebody
 * may correct the key at the service, or the clock.
 */
async function serviceFacts({
  service,
}: Settings): Promise<Omit<WorkerFacts, 'store' | 'file' | 'hasCodec'>> {
  const cloud = new CloudClient({ ...service, attempts: 1, total: FACTS_MS });
  const [identity, refusal, ahead] = await Promise.all([
    cloud.identity().catch(() => undefined),
    cloud.listModels().then(
      () => undefined,
      (error: unknown) => (isCloudError(error) && error.kind === 'unauthorized' ? error : undefined),
    ),
    clockAhead(service.url),
  ]);
  if (refusal)
    warn(`The model service at ${service.url} refuses the key of this worker. ${refusal.hint ?? ''}`);
  if (ahead !== undefined && Math.abs(ahead) > SAME_TIME_MS) {
    const seconds = Math.round(Math.abs(ahead) / 1_000);
    warn(`The clocks of this machine and of the model service differ by ${seconds} s: set both (NTP).`);
  }
  return { service: identity, isRefused: refusal !== undefined, ahead };
}

/** Checks of what a worker needs. Anybody may read their answers, so these contain no text from elsewhere. */
function needsOf(
  settings: Settings,
  connection: NativeConnection,
  store: Store,
  isWorking: () => boolean,
): Needs {
  const cloud = new CloudClient({ ...settings.service, attempts: 1, total: ASK_MS });
  return {
    Temporal: async () => {
      await connection.withDeadline(Date.now() + ASK_MS, () => connection.workflowService.getSystemInfo({}));
      return isWorking() ? undefined : 'The worker takes no work.';
    },
    store: async () => {
      await store.getCampaign('');
      return store.whyLost() && 'It cannot be used.';
    },
    'model service': async () => ((await serviceAnswers(cloud)) ? undefined : 'It does not answer.'),
  };
}

/**
 * Runs a worker until SIGINT or SIGTERM: it connects, registers the workflow and its activities, works, and shuts down.
 * If Temporal does not answer then, the process still has a connection to it, and must be ended by the caller.
 *
 * @param onReady called once when the worker can get work
 * @throws ForayError PORT_IN_USE, TEMPORAL_UNREACHABLE, TEMPORAL_REFUSED, STORE_UNUSABLE, STORE_NEWER, STORE_UNREACHABLE,
 *   CODEC_UNUSABLE
 */
export async function runWorker(
  settings: Settings,
  onReady: () => void,
  { current = true, metrics, health, notices, tell = () => undefined }: WorkerOptions = {},
): Promise<void> {
  const { connectionOptions, namespace = DEFAULT_NAMESPACE, payloadCodec } = settings.temporal;
  const converter = await dataConverter(payloadCodec);
  const store = await openStore(settings.store);
  const endTelling = tellLost(store, tell);
  const courses = new Courses();
  try {
    // only now: the runtime keeps the process alive until its last connection is closed
    installTelemetry(metrics);
    const connection = await NativeConnection.connect(connectionOptions).catch((error: unknown) => {
      throw connectError(settings, error);
    });
    let isCutOff = false;
    try {
      await requireNamespace(connection, { connectionOptions, namespace });
      let worker: Worker | undefined;
      const isWorking = (): boolean => worker?.getState() === 'RUNNING';
      // it listens before the worker takes work, so a port that is in use ends the process at once
      const server = health && (await serveHealth(health, needsOf(settings, connection, store, isWorking)));
      if (server) tell(`Health ${server.url}/ready`);
      const { taskQueue } = settings;
      const workflows = await workflowBundle();
      const own = {
        namespace,
        taskQueue,
        // traces do not change what a workflow does, so a campaign may go on with them and without them
        build: await buildIdOf(workflows),
        identity: workerIdentity({
          store: store.id,
          file: fileOfStore(settings.store),
          hasCodec: payloadCodec !== undefined,
          ...(await serviceFacts(settings)),
        }),
      };
      const currentBuild = new CurrentBuild(connection, own, tell);
      try {
        worker = await Worker.create({
          connection,
          namespace,
          taskQueue,
          identity: own.identity,
          workflowBundle: tracing ? await workflowBundle('traced') : workflows,
          dataConverter: converter,
          ...tracing?.ofWorker,
          activities: createActivities(
            { store, cloud: cloudClient(settings, 'worker'), service: settings.service.url, notices },
            courses,
          ),
          maxConcurrentActivityTaskExecutions: ACTIVITIES_AT_ONCE,
          maxConcurrentWorkflowTaskExecutions: STEPS_AT_ONCE,
          shutdownGraceTime: GRACE,
          stickyQueueScheduleToStartTimeout: STICKY,
          workerDeploymentOptions: deploymentOptions(taskQueue, own.build),
        });
        const ended = worker.run();
        const cutOff = untilCutOff(() => !isWorking(), CUT_OFF_MS);
        if (current) await Promise.race([ended, currentBuild.start()]);
        if (isWorking()) onReady();
        isCutOff = await Promise.race([ended.then(() => false), cutOff]);
      } finally {
        // a worker that is cut off still waits for answers of Temporal
        if (!isCutOff) await currentBuild.close();
        await server?.close();
      }
    } finally {
      if (!isCutOff) await connection.close();
    }
  } finally {
    courses.close();
    endTelling();
    await store.close();
  }
}
