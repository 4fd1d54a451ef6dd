/** This import makes Temporal's library log only errors. */
import { IllegalStateError } from '@temporalio/common';
import { DefaultLogger, Runtime } from '@temporalio/worker';

try {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
} catch (error) {
  // an earlier test file of this process has already done this
  if (!(error instanceof IllegalStateError)) throw error;
}
