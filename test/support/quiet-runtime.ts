/** Importing this lets Temporal's library log errors only. A process can say so once. */
import { DefaultLogger, Runtime } from '@temporalio/worker';

Runtime.install({ logger: new DefaultLogger('ERROR') });
