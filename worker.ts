import {
  DefaultLogger,
  type LogEntry,
  NativeConnection,
  Runtime,
  Worker,
  type WorkerDeploymentOptions,
} from '@temporalio/worker';
import { createActivities } from './src/activities/index.ts';
import { cloudClient, type Settings } from './src/client/index.ts';
import { workflowBundle } from './src/dev/workflow-bundle.ts';
import { ForayError, messageOf } from './src/errors.ts';
import { printableLine } from './src/printable.ts';
import { openStore } from './src/store/index.ts';

/** What activities get to finish in when a worker is told to stop; after that they are carried out elsewhere. */
const GRACE = '3s';
/** How long Temporal keeps a campaign's next step for the worker that made the last one before any other gets it. */
const STICKY = '2s';
/** Ticks of campaigns side by side; each makes its own requests side by side. */
const ACTIVITIES_AT_ONCE = 16;

/**
 * What makes a worker one of a versioned deployment: a campaign stays with the build that began it, and goes on with
 * the current one when its workflow continues as new.
 */
export function deploymentOf(buildId: string): WorkerDeploymentOptions {
  return {
    version: { deploymentName: 'foray', buildId },
    useWorkerVersioning: true,
    defaultVersioningBehavior: 'PINNED',
  };
}

/** One line an entry, without stacks: what goes wrong with a campaign is to be read in the Web UI, too. */
function logLine({ level, message, meta }: LogEntry): void {
  const error: unknown = meta?.error;
  const why = error === undefined ? '' : `: ${messageOf(error).split('\n')[0]}`;
  const workflow = typeof meta?.workflowId === 'string' ? ` (campaign ${meta.workflowId})` : '';
  const line = `${new Date().toISOString()} ${level} ${message.split('\n')[0]}${workflow}${why}`;
  process.stderr.write(`${printableLine(line)}\n`);
}

/**
 * Runs a worker until SIGINT or SIGTERM: connects, registers the workflow and its activities, works, shuts down.
 *
 * @param onReady called once when work can come
 * @param buildId makes it a worker of that build of the deployment `foray`
 * @throws ForayError TEMPORAL_UNREACHABLE, STORE_UNUSABLE, STORE_NEWER
 */
export async function runWorker(settings: Settings, onReady: () => void, buildId?: string): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('WARN', logLine) });
  const { connectionOptions, namespace = 'default' } = settings.temporal;
  const store = await openStore(settings.store);
  try {
    const connection = await NativeConnection.connect(connectionOptions).catch(() => {
      throw new ForayError(
        'TEMPORAL_UNREACHABLE',
        `The Temporal server at ${connectionOptions.address ?? 'localhost:7233'} cannot be reached.`,
        { hint: 'Start one with "foray dev", or set TEMPORAL_ADDRESS.' },
      );
    });
    try {
      const worker = await Worker.create({
        connection,
        namespace,
        taskQueue: settings.taskQueue,
        workflowBundle: await workflowBundle(),
        activities: createActivities({
          store,
          cloud: cloudClient(settings, 'worker'),
          service: settings.service.url,
        }),
        maxConcurrentActivityTaskExecutions: ACTIVITIES_AT_ONCE,
        shutdownGraceTime: GRACE,
        stickyQueueScheduleToStartTimeout: STICKY,
        ...(buildId !== undefined && { workerDeploymentOptions: deploymentOf(buildId) }),
      });
      onReady();
      await worker.run();
    } finally {
      await connection.close();
    }
  } finally {
    await store.close();
  }
}
