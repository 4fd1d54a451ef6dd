import type { Settings } from '../../src/client/index.ts';

/** Settings with a store, and with a model service and a Temporal server that do not exist: nothing listens there. */
export function withoutServers(store: string): Settings {
  return {
    service: { url: 'http://127.0.0.1:9/api/open/8.5.0', key: 'secret-of-the-service' },
    store,
    taskQueue: 'foray',
    owner: 'somebody',
    temporal: { connectionOptions: { address: '127.0.0.1:9' } },
    webUi: 'http://127.0.0.1:9',
  };
}
