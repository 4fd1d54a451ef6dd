import { NativeConnection, Runtime, DefaultLogger, Worker } from '@temporalio/worker';
import { createActivities } from './src/activities/index.ts';
import { cloudClient, type Settings } from './src/client/index.ts';
import { ForayError } from './src/errors.ts';
import { openStore } from './src/store/index.ts';

/** What activities get to finish in when a worker is told to stop; after that they are carried out elsewhere. */
const GRACE = '3s';
/** Ticks of campaigns side by side; each makes its own requests side by side. */
const ACTIVITIES_AT_ONCE = 8;

/**
 * Runs a worker until SIGINT or SIGTERM: connects, registers the workflow and its activities, works, shuts down.
 *
 * @param onReady called once when work can come
 * @throws ForayError TEMPORAL_UNREACHABLE, STORE_UNUSABLE, STORE_NEWER
 */
export async function runWorker(settings: Settings, onReady: () => void): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('WARN') });
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
        workflowsPath: new URL('./src/workflows/index.ts', import.meta.url).pathname,
        activities: createActivities({
          store,
          cloud: cloudClient(settings, 'worker'),
          service: settings.service.url,
        }),
        maxConcurrentActivityTaskExecutions: ACTIVITIES_AT_ONCE,
        shutdownGraceTime: GRACE,
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
