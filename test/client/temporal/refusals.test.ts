import { expect, test } from '@jest/globals';
import type { Settings } from '../../../src/client/index.ts';
import { translated } from '../../../src/client/temporal/errors.ts';

const settings = (temporal: Settings['temporal']): Settings => ({
  service: { url: 'http://127.0.0.1:9/api/open/8.5.0', key: 'none' },
  store: 'sqlite::memory:',
  taskQueue: 'foray',
  owner: 'somebody',
  temporal,
  webUi: 'http://127.0.0.1:9',
});

test('an error names the default address and namespace of Temporal when the settings have none', () => {
  const refused = { code: 7, details: 'Request unauthorized' };
  expect(translated(settings({ connectionOptions: {} }), refused)).toMatchObject({
    code: 'TEMPORAL_REFUSED',
    message:
      'The Temporal server at localhost:7233 refuses the request (namespace "default"): Request unauthorized.',
  });
});
