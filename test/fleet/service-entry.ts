/**
 * Starts a service for executors on other machines in a separate process, for tests that kill the process. Prints
 * the address of the service.
 */
import { builtWorkflowBundle } from '../support/built-workflow-bundle.ts';
import { startService } from '../../src/service/service.ts';
import { KEY } from '../service/fixed.ts';
import type { EntryOptions } from './service-group.ts';
import '../support/quiet-runtime.ts';

const { address, heartbeat, ...options } = JSON.parse(process.argv[2]!) as EntryOptions;
const running = await startService({
  executors: 0,
  apiKey: KEY,
  ...options,
  lanes: {
    connectionOptions: { address },
    namespace: 'default',
    workflowBundle: builtWorkflowBundle('lanes'),
    heartbeat,
  },
});
console.log(running.url);
