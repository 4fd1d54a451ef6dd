/** Starts a service for executors on other machines in a process of its own, for tests that kill it; prints its address. */
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { workflowBundle } from '../../src/dev/workflow-bundle.ts';
import { startService } from '../../src/service/service.ts';
import { KEY } from '../service/fixed.ts';

Runtime.install({ logger: new DefaultLogger('ERROR') });

const [dataDir, models, port, address, heartbeat] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
  string,
];
const running = await startService({
  ...{ dataDir, port: Number(port), modelDirs: [models], executors: 0, apiKey: KEY },
  lanes: {
    connectionOptions: { address },
    namespace: 'default',
    workflowBundle: await workflowBundle('lanes'),
    heartbeat: Number(heartbeat),
  },
});
console.log(running.url);
