import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { cleanEnv, foray, MAIN, ROOT } from '../support/cli.ts';
import { keyFileOf } from '../support/key-file.ts';
import { until } from '../support/until.ts';
import { ask } from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'foray-ui-'));
const children: ChildProcess[] = [];
afterAll(async () => {
  for (const child of children) if (child.exitCode === null) await ended(child);
  rmSync(folder, { recursive: true });
});

function start(...args: string[]) {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: folder, env: cleanEnv() });
  children.push(child);
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  return { child, said: () => said };
}

async function ended(child: ChildProcess): Promise<number | null> {
  const exit = once(child, 'exit') as Promise<[number | null]>;
  child.kill('SIGINT');
  return (await exit)[0];
}

test('foray ui starts a server; a second foray ui prints another login for the same server; Ctrl-C ends the server', async () => {
  const page = join(folder, '.foray/page.json');
  const { child, said } = start('ui', '--no-open');
  const [, url, code] = await until('foray ui prints its address', () => {
    return /(http:\/\/127\.0\.0\.1:\d+)\/login#(\S+)/.exec(said()) ?? false;
  });
  await until('the home has the address of the server', () => existsSync(page));
  expect(statSync(page).mode & 0o777).toBe(0o600);
  const { key } = JSON.parse(readFileSync(page, 'utf8')) as { key: string };
  const { status } = await ask(`${url}/api/v1/campaigns`, { headers: { authorization: `Bearer ${key}` } });
  expect(status).toBe(200);

  const second = await foray(folder, ['ui', '--no-open']);
  expect([second.code, second.stdout.trim()]).toEqual([0, expect.stringMatching(`^${url}/login#`)]);
  expect(second.stdout).not.toContain(code);
  // no output contains the key
  expect(said() + second.stdout + second.stderr).not.toContain(key);

  // the server itself serves the module for Python
  const module = await ask(`${url}/python/foray.py`);
  expect([module.status, module.body]).toEqual([200, expect.stringContaining('def connect(')]);

  expect(await ended(child)).toBe(0);
  expect(existsSync(page)).toBe(false);
});

test('foray server needs --keys if other machines can reach its address, follows its options and the roles of keys, and never prints a key', async () => {
  const refused = await foray(folder, ['server', '--host', '0.0.0.0', '--port', '0']);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--keys FILE')]);
  writeFileSync(join(folder, 'keys'), keyFileOf(['rita', 'read', '0123456789abcdef']), { mode: 0o600 });
  const badSite = await foray(folder, ['server', '--port', '0', '--frame-ancestors', 'x; script-src *']);
  expect([badSite.code, badSite.stderr]).toEqual([2, expect.stringContaining('address of a site')]);
  const names = ['--host-name', 'runs.example.org', '--frame-ancestors', 'https://lab.example.org/tree'];
  const { child, said } = start('server', '--port', '0', '--keys', 'keys', ...names);
  const [, url] = await until(
    'foray server prints its address',
    () => /API +(\S+)\/api\/v1/.exec(said()) ?? false,
  );
  const headers = { host: 'runs.example.org', authorization: 'Bearer 0123456789abcdef' };
  const list = await ask(`${url}/api/v1/campaigns`, { headers });
  expect([list.status, list.headers['content-security-policy']]).toEqual([
    200,
    expect.stringMatching(/frame-ancestors https:\/\/lab\.example\.org$/),
  ]);
  expect((await ask(`${url}/api/v1/campaigns`, { method: 'POST', headers, body: 'x' })).status).toBe(403);
  expect(said()).not.toContain('0123456789abcdef');
  expect(await ended(child)).toBe(0);
});

test('requests of the module for Python end when the server accepts them but does not answer', async () => {
  const sockets: Socket[] = [];
  const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const script = `
import foray
real = foray._opener
# a thousandth of the time limit, so that the test is short
foray._opener = lambda url: lambda request, timeout: real(url)(request, timeout=timeout / 1000)
server = foray.Server("http://127.0.0.1:${(silent.address() as AddressInfo).port}", "key")
try:
    server.campaigns()
except foray.ForayError as error:
    print(error.code, error)
try:
    foray.Campaign(server, "flu").wait(seconds=0)
except TimeoutError as error:
    print(error)
`;
  const env = { ...cleanEnv(), PYTHONPATH: join(ROOT, 'python'), PYTHONDONTWRITEBYTECODE: '1' };
  try {
    const { stdout } = await promisify(execFile)('python3', ['-c', script], { env });
    expect(stdout).toMatch(/^SERVER_UNREACHABLE The connection to .* failed: timed out\./);
    expect(stdout).toContain('The campaign flu is not closed after 0 s');
  } finally {
    for (const socket of sockets) socket.destroy();
    silent.close();
  }
});

test('programs on this machine send the key to its server, and to no proxy', async () => {
  const asked: string[] = [];
  const proxy = createHttpServer(({ url }, response) => {
    asked.push(url ?? '');
    response.writeHead(502).end();
  }).listen(0, '127.0.0.1');
  const server = createHttpServer((_, response) => response.end('[]')).listen(0, '127.0.0.1');
  await Promise.all([once(proxy, 'listening'), once(server, 'listening')]);
  const portOf = (one: typeof proxy): number => (one.address() as AddressInfo).port;
  const at = `http://127.0.0.1:${portOf(proxy)}`;
  const own = `http://127.0.0.1:${portOf(server)}`;
  const env = {
    ...cleanEnv(),
    http_proxy: at,
    HTTP_PROXY: at,
    https_proxy: at,
    NODE_USE_ENV_PROXY: '1',
    PYTHONPATH: join(ROOT, 'python'),
    PYTHONDONTWRITEBYTECODE: '1',
  };
  const script = `import foray; print(foray.connect("${own}", "key").campaigns())`;
  const client = `
    const { CloudClient } = await import('${pathToFileURL(join(ROOT, 'src/cloud/index.ts')).href}');
    const { connectTemporal } = await import('${pathToFileURL(join(ROOT, 'src/temporal-connection.ts')).href}');
    console.log(await new CloudClient({ url: '${own}/api/open/8.5.0', key: 'key' }).listModels());
    // this server is no Temporal server, so the connection fails
    await connectTemporal({ address: '127.0.0.1:${portOf(server)}', connectTimeout: 500 }).catch(() => undefined);
    process.exit();`;
  try {
    const python = await promisify(execFile)('python3', ['-c', script], { env });
    expect(python.stdout).toBe('[]\n');
    const node = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', client], { env });
    expect(node.stdout).toBe('[]\n');
    expect(asked).toEqual([]);
  } finally {
    proxy.close();
    server.close();
  }
});
