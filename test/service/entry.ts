/** Starts a service in a separate process, for tests that kill it. Prints its address. */
import { startService } from '../../src/service/service.ts';
import { KEY, SHIPPED_MODELS } from './fixed.ts';

const running = await startService({
  dataDir: process.argv[2]!,
  modelDirs: [process.argv[3] ?? SHIPPED_MODELS],
  executors: 2,
  apiKey: KEY,
});
console.log(running.url);
