import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { Campaign } from '../../src/campaign/types.ts';
import { ServiceAtHand } from '../../src/resolve/index.ts';
import { startServer, type TestServer } from '../cloud/support.ts';

const OWN = '6b0e2f4c-3f6e-4a54-9d3c-0a3a9f6f9a11';
const OTHER = '9a1d7c52-8f0b-4c86-8d7e-5f1c2b3a4d55';

let server: TestServer;
let service: ServiceAtHand;
let now: number;
beforeEach(async () => {
  now = performance.now();
  jest.spyOn(performance, 'now').mockImplementation(() => now);
  server = await startServer();
  service = new ServiceAtHand(server.client(), server.url);
});
afterEach(() => {
  jest.restoreAllMocks();
});

const campaign = () => ({ id: 'c', service: server.url, serviceId: OWN }) as Campaign;
/** Whether the campaign belongs to the service, after this time in seconds. */
const hasAfter = (seconds: number): Promise<boolean> => {
  now += seconds * 1_000;
  return service.has(campaign());
};
const say = (uuid: string): void => server.say(200, { status: 'ok', problems: [], service: uuid });

test('a strange answer of /health does not change the known service, but the answer of another service does', async () => {
  say(OWN);
  expect(await hasAfter(0)).toBe(true);
  server.say(200, '<html><body>Log in</body></html>');
  expect(await hasAfter(11)).toBe(true);
  server.say(500, '');
  expect(await hasAfter(11)).toBe(true);
  say(OTHER);
  expect(await hasAfter(0)).toBe(false);
});

test('an error says that /health gives no UUID, if it never did or has given none for half a minute', async () => {
  server.say(404, '');
  const error = { kind: 'malformed', message: expect.stringContaining('/health has no UUID') };
  await expect(hasAfter(0)).rejects.toMatchObject(error);
  say(OWN);
  expect(await hasAfter(11)).toBe(true);
  server.say(404, '');
  expect(await hasAfter(11)).toBe(true);
  await expect(hasAfter(31)).rejects.toMatchObject(error);
  say(OWN);
  expect(await hasAfter(11)).toBe(true);
});
