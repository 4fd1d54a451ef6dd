import { resolve } from 'node:path';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { CloudClient } from '../../../src/cloud/index.ts';
import { endWithParent } from '../../../src/dev/lifeline.ts';
import { createActivities } from './activities.ts';

/** A program: the worker for the workflow that uses child workflows. The worker has the default settings of the SDK. */

const { address, url, key } = JSON.parse(process.argv[2]!) as { address: string; url: string; key: string };

endWithParent();
Runtime.install({ logger: new DefaultLogger('ERROR') });
const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue: 'children',
  workflowsPath: resolve(import.meta.dirname, 'workflows.ts'),
  activities: createActivities(new CloudClient({ url, key })),
});
console.log('ready');
await worker.run();
process.exit();
