import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { settingsFromEnvironment } from '../../src/index.ts';
import { temporaryFolder } from '../store/folder.ts';

const own = Object.entries(process.env).filter(([name]) => /^(FORAY|TEMPORAL)_/.test(name));
let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
  for (const [name] of own) delete process.env[name];
  process.env.FORAY_HOME = folder.path;
});
afterEach(() => {
  for (const name of Object.keys(process.env)) if (/^(FORAY|TEMPORAL)_/.test(name)) delete process.env[name];
  Object.assign(process.env, Object.fromEntries(own));
  folder.remove();
});

test('settingsFromEnvironment gives a program the defaults and the environment variables of the command line', () => {
  expect(settingsFromEnvironment()).toMatchObject({
    service: { url: 'http://127.0.0.1:8090/api/open/8.5.0', key: '' },
    store: `sqlite:${folder.path}/store.db`,
    taskQueue: 'foray',
    temporal: { namespace: 'default', connectionOptions: { address: '127.0.0.1:7233' } },
  });
  Object.assign(process.env, {
    // a compose file puts the path after an address with a slash
    FORAY_SERVICE_URL: 'https://models.example//api/open/8.5.0/',
    FORAY_API_KEY: 'k',
    FORAY_SERVICE_RATE: '2.5',
    FORAY_STORE: 'postgres://host/foray',
    TEMPORAL_ADDRESS: 'temporal.example:7233',
  });
  expect(settingsFromEnvironment()).toMatchObject({
    service: { url: 'https://models.example/api/open/8.5.0', key: 'k', rate: 2.5 },
    store: 'postgres://host/foray',
    temporal: { connectionOptions: { address: 'temporal.example:7233' } },
  });
});

test('an impossible setting is an error that says what to check', () => {
  process.env.FORAY_SERVICE_RATE = 'fast';
  expect(settingsFromEnvironment).toThrow(
    expect.objectContaining({
      code: 'USAGE',
      message: 'FORAY_SERVICE_RATE is "fast", which is not a number above 0.',
    }),
  );
  process.env.FORAY_SERVICE_RATE = '1';
  process.env.FORAY_SERVICE_URL = 'models.example';
  expect(settingsFromEnvironment).toThrow(
    expect.objectContaining({ code: 'USAGE', hint: 'Check --service-url or FORAY_SERVICE_URL.' }),
  );
});
