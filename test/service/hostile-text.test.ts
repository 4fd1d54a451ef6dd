import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { endpoints } from '../../src/api/endpoints.ts';
import { ErrorBody } from '../../src/api/resources.ts';
import { type RunningService, startService } from '../../src/service/service.ts';
import { clientOf, KEY, upload } from './support.ts';

/** Texts that must not reach a header, a redirect or a file name unchanged. */
const texts = [
  '//evil.example',
  '//evil.example/..',
  'https://evil.example',
  '\\\\evil.example',
  'x\r\nLocation: https://evil.example',
  'x\r\nSet-Cookie: a=b\r\n\r\n<script>',
  'x\0y',
  '../../../etc/passwd',
  `a'b(c)*"d`,
  'ÿ\u2028\u202e',
  'a'.repeat(900),
];

/** Paths with a variable part: those of the specified endpoints, of downloads and of animated runs. */
const routes = [
  ...Object.values(endpoints).flatMap((endpoint) =>
    [endpoint, ...('older' in endpoint ? [endpoint.older] : [])].map(({ method, path }) => ({
      method,
      path: `/api/open/8.5.0${path}`,
    })),
  ),
  { method: 'GET', path: '/files/:hash' },
  ...['', '/', '/frame', '/get-state', '/command', '/stop', '/standalone/standalone.bundle.js'].map(
    (rest) => ({ method: 'GET', path: `/nodes/:node/sessions/:session${rest}` }),
  ),
].filter(({ path }) => path.includes(':'));

const UUID = 'b7e2f9d0-58f1-4c39-9a55-0d0c8b7ad111';

let folder: string;
let running: RunningService;
let origin: string;
beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'foray-hostile-'));
  running = await startService({ dataDir: folder, modelDirs: [], apiKey: KEY });
  ({ origin } = new URL(running.url));
});
afterAll(async () => {
  await running.close();
  rmSync(folder, { recursive: true });
});

describe('hostile text in an address', () => {
  test.each(routes)(
    'gets an error of the common shape from $method $path, without a redirect or a cookie',
    async (route) => {
      const variables = route.path.match(/:\w+/g)!;
      // replaces one variable part after another, while the other parts are uuids
      for (const hostile of variables) {
        for (const value of texts) {
          const path = route.path.replaceAll(/:\w+/g, (part) =>
            part === hostile ? encodeURIComponent(value) : UUID,
          );
          const response = await fetch(`${origin}${path}`, {
            method: route.method,
            redirect: 'manual',
            headers: { Authorization: KEY },
            ...(route.method === 'POST' && {
              body: '{"experimentType":"SIMULATION","inputs":[],"outputs":"[]"}',
            }),
          });
          const said = [value, response.status, response.headers.get('location')];
          expect(said).toEqual([value, expect.any(Number), null]);
          expect([400, 404]).toContain(response.status);
          expect(response.headers.get('set-cookie')).toBeNull();
          ErrorBody.parse(await response.json());
        }
      }
    },
  );

  test('does not make the page of an animated run redirect to another site', async () => {
    for (const [node, session] of [
      [UUID, '%2F%2Fevil.example'],
      ['%2F%2Fevil.example', UUID],
      [UUID, `${UUID}%0D%0ASet-Cookie:a=b`],
    ]) {
      const response = await fetch(`${origin}/nodes/${node}/sessions/${session}`, { redirect: 'manual' });
      expect([response.status, response.headers.get('location')]).toEqual([404, null]);
    }
    const response = await fetch(`${origin}/nodes/${UUID}/sessions/${UUID}`, { redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([302, `${UUID}/`]);
  });
});

test('the name of a download is always a single value in the header', async () => {
  const { body: hash } = await upload({ running }, 'content');
  for (const value of texts) {
    const query = new URLSearchParams({ hash, filename: value }).toString();
    const { body: address } = await clientOf(running.url).get<string>(`/output-file?${query}`);
    const response = await fetch(address);
    const name = response.headers.get('content-disposition');
    expect([value, response.status, name]).toEqual([
      value,
      200,
      expect.stringMatching(/^attachment; filename\*=UTF-8''[\w!.~%-]*$/),
    ]);
    expect(await response.text()).toBe('content');
  }
});
