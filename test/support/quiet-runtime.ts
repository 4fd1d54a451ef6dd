/** This import makes Temporal's library log only errors. A process can set this only once. */
import { DefaultLogger, Runtime } from '@temporalio/worker';

Runtime.install({ logger: new DefaultLogger('ERROR') });
