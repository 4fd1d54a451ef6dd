import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import type { OutgoingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AnimationInfo, Model } from '../../src/api/resources.ts';
import type { ProxyOptions } from '../../src/service/http/public-address.ts';
import { toTheEnd } from '../support/campaigns.ts';
import { foray } from '../support/cli.ts';
import { makeCertificate, startTlsProxy, type TlsProxy } from '../support/tls-proxy.ts';
import { KEY, startWorld, type World } from '../support/world.ts';
import { EPIDEMIC, REHEARSAL } from '../service/fixed.ts';

const usual = tls.getCACertificates('default');
let folder: string;
let certificate: ReturnType<typeof makeCertificate>;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'foray-tls-'));
  certificate = makeCertificate(folder);
  // this has the effect of NODE_EXTRA_CA_CERTS for a process that is already running
  tls.setDefaultCACertificates([...usual, certificate.cert.toString()]);
});
/** The started worlds. All worlds use the Temporal server of the first world. */
const worlds: World[] = [];
afterAll(async () => {
  for (const world of worlds.toReversed()) await world.close();
  tls.setDefaultCACertificates(usual);
  rmSync(folder, { recursive: true, force: true });
});

const COURSES = {
  text: `
campaign: flu
model: {name: Epidemic}
inputs: {Days: 5}
design: {grid: {Contact rate: [1.5, 2.5]}}
outputs: {names: [Peak day, Trajectory], files: keep}
`,
  file: 'flu.yaml',
};

/** For each way: a name, the prefix of the proxy's paths, options of the service, and headers that the proxy adds. */
const ways: [string, string, (origin: string) => ProxyOptions, (host: string) => OutgoingHttpHeaders][] = [
  ['--public-url with a path', '/sim', (origin) => ({ publicUrl: `${origin}/sim/` }), () => ({})],
  [
    '--trust-proxy and the X-Forwarded headers',
    '/sim',
    () => ({ trustedProxies: ['loopback'] }),
    (host) => ({ 'x-forwarded-proto': 'https', 'x-forwarded-host': host, 'x-forwarded-prefix': '/sim' }),
  ],
  [
    '--trust-proxy and the header Forwarded',
    '',
    () => ({ trustedProxies: ['loopback'] }),
    (host) => ({ forwarded: `for=192.0.2.1;proto=https;host="${host}"` }),
  ],
];

describe.each(ways)('behind a proxy with TLS, with %s', (_, prefix, options, headersOf) => {
  let proxy: TlsProxy;
  let world: World;
  let url: string;
  beforeAll(async () => {
    proxy = await startTlsProxy(certificate, prefix, headersOf);
    world = await startWorld({
      models: [EPIDEMIC, REHEARSAL],
      service: options(proxy.origin),
      ...(worlds[0] && { beside: worlds[0] }),
      through: (service) => {
        proxy.target = service.port;
        url = `${proxy.origin}${prefix}/api/open/8.5.0`;
        return Promise.resolve({ url, close: () => proxy.close() });
      },
    });
    worlds.push(world);
    await world.startWorker();
  });

  test('a campaign keeps its output files, and foray results writes the files of another campaign', async () => {
    const id = `flu-${worlds.length}`;
    await world.foray.submit(COURSES, { id });
    expect(await toTheEnd(world, id)).toMatchObject({ phase: 'completed', note: '' });
    expect(proxy.asked.filter((path) => path.startsWith(`${prefix}/files/`))).toHaveLength(2);
    // if a campaign does not keep files, the command fetches them
    const text = COURSES.text.replace('1.5', '1.6').replace(', files: keep', '');
    await world.foray.submit({ ...COURSES, text }, { id: `linked-${id}` });
    await toTheEnd(world, `linked-${id}`);
    proxy.asked.splice(0);
    const { code, stderr } = await foray(folder, ['results', `linked-${id}`, '--files', id], {
      env: {
        FORAY_STORE: world.settings.store,
        FORAY_SERVICE_URL: url,
        FORAY_API_KEY: KEY,
        NODE_EXTRA_CA_CERTS: certificate.file,
      },
    });
    expect([code, stderr]).toEqual([0, expect.anything()]);
    expect(proxy.asked.filter((path) => path.startsWith(`${prefix}/files/`))).not.toEqual([]);
    expect(readdirSync(join(folder, id))).toHaveLength(2);
  });

  test('the address in openapi.json and the address of an animation lead through the proxy', async () => {
    const ask = async <T>(path: string, body?: unknown): Promise<T> => {
      const response = await fetch(`${url}${path}`, {
        headers: { Authorization: KEY },
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      });
      return (await response.json()) as T;
    };
    const document = await ask<{ servers: { url: string }[] }>('/openapi.json');
    expect(new URL(document.servers[0]!.url, url).href).toBe(url);
    const model = await ask<Model>('/models/name/', 'Rehearsal');
    const info = await ask<AnimationInfo & { bundleUrl: string }>(
      `/versions/${model.modelVersions[0]!}/runs/animation`,
      { experimentType: 'ANIMATION_SVG', inputs: [{ name: 'Seconds', value: 500 }] },
    );
    expect(info.bundleUrl).toBe(`${proxy.origin}${prefix}/nodes/${info.restUrl}sessions/${info.sessionUuid}`);
    const page = await fetch(info.bundleUrl);
    expect([page.status, page.url, page.headers.get('content-type')]).toEqual([
      200,
      `${info.bundleUrl}/`,
      'text/html; charset=utf-8',
    ]);
    expect((await fetch(`${info.bundleUrl}/frame`)).status).toBe(200);
  });
});
