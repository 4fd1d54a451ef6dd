import { createHash, randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import type { CloudErrorKind } from '../../src/cloud/index.ts';
import { failure, KEY, startServer, type TestServer } from './support.ts';
import { whole, unmeasured, status, cut } from './downloads.ts';

const SIGNATURE = 'c2lnbmF0dXJlLW9mLXRoZS1hZGRyZXNz';
const content = Buffer.from('day,infected\n0,1\n1,3\n');
const shaOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('base64url');

let server: TestServer;
/** Answers to downloads, one after the other. The last one is repeated. */
let downloads: ((response: ServerResponse) => void)[];
let signed: number;

beforeEach(async () => {
  server = await startServer();
  downloads = [whole(content)];
  signed = 0;
  server.answer(serve);
});

function serve(response: ServerResponse, { url }: { url: string }): void {
  if (url.startsWith('/files/')) {
    (downloads.length > 1 ? downloads.shift()! : downloads[0]!)(response);
    return;
  }
  signed += 1;
  const { origin } = new URL(server.url);
  response.end(JSON.stringify(`${origin}/files/h?number=${signed}&signature=${SIGNATURE}`));
}

/** The received content and its hash. */
async function fetched(
  hash = shaOf(content),
  options: { most?: number; signal?: AbortSignal } = {},
): Promise<{ bytes: Buffer; sha256: string }> {
  let parts: Uint8Array[] = [];
  const begin = () => {
    parts = [];
    return (chunk: Uint8Array): void => void parts.push(chunk);
  };
  const sha256 = await server.client().fetchOutputFile({ hash, localPath: 'a b.csv' }, begin, options);
  return { bytes: Buffer.concat(parts), sha256 };
}

const paths = (): string[] => server.asked.map(({ url }) => url.replace(/\?.*/, ''));

test('the client requests the address with the key, hash and name, and then the file without the key', async () => {
  const { bytes, sha256 } = await fetched();
  expect(bytes.equals(content)).toBe(true);
  expect(sha256).toBe(shaOf(content));
  const [asking, fetching, ...more] = server.asked;
  expect(more).toEqual([]);
  expect(asking!.url).toMatch(/\/output-file\?hash=[\w-]{43}&filename=a\+b\.csv$/);
  expect(asking!.headers.authorization).toBe(KEY);
  expect(fetching!.headers).not.toHaveProperty('authorization');
  expect(JSON.stringify(fetching!.headers)).not.toContain(KEY);
});

test('the client requests a file without a name under the name "file"', async () => {
  await server.client().fetchOutputFile({ hash: shaOf(content), localPath: '' }, () => () => undefined);
  expect(server.asked[0]!.url).toMatch(/&filename=file$/);
});

describe('the client tries again after', () => {
  test('an expired address, and each attempt requests a new address', async () => {
    downloads = [status(403), status(403), whole(content)];
    expect((await fetched()).sha256).toBe(shaOf(content));
    expect(signed).toBe(3);
  });

  test.each([
    ['a transfer that is cut', cut(content)],
    ['a server error', status(500)],
    ['a connection that breaks', (response: ServerResponse) => void response.destroy()],
    ['a page in place of the file', whole(Buffer.from('<html>maintenance</html>'))],
    ['half a file of unknown length', unmeasured(content.subarray(0, 7))],
  ])('%s', async (_, first) => {
    downloads = [first, whole(content)];
    const { bytes, sha256 } = await fetched();
    expect(bytes.equals(content)).toBe(true);
    expect(sha256).toBe(shaOf(content));
    expect(signed).toBe(2);
  });

  test('a pause for which the host asks', async () => {
    let at = 0;
    downloads = [
      (response) => {
        at = performance.now();
        status(503, { 'retry-after': '1' })(response);
      },
      whole(content),
    ];
    const client = server.client();
    let bytes = 0;
    const fetching = client.fetchOutputFile({ hash: shaOf(content), localPath: 'a' }, () => (chunk) => {
      bytes += chunk.length;
    });
    await fetching;
    expect(bytes).toBe(content.length);
    expect(server.asked.at(-1)!.at - at).toBeGreaterThanOrEqual(999);
  });

  test('a failed request for the address', async () => {
    let failures = 2;
    server.answer((response, asked) => {
      if (failures-- > 0) return status(502)(response);
      serve(response, asked);
    });
    expect((await fetched()).sha256).toBe(shaOf(content));
  });
});

describe('the client gives an error without the address of the file for', () => {
  test.each<[string, CloudErrorKind, number, (response: ServerResponse) => void]>([
    ['that is gone (404)', 'not-found', 1, status(404)],
    ['that is permanently gone (410)', 'not-found', 1, status(410)],
    ['whose addresses are never valid', 'refused', 4, status(403)],
    [
      'at another address, because the client does not follow redirects',
      'refused',
      4,
      status(302, { location: '/files/x' }),
    ],
    ['of which the host sends only a part', 'refused', 4, status(206)],
    ['whose transfer always breaks', 'unreachable', 4, cut(content)],
    ['for which the host always answers 500', 'server', 4, status(500)],
    ['for which the host always answers 429', 'throttled', 4, status(429)],
  ])('a file %s', async (_, kind, attempts, answer) => {
    downloads = [answer];
    const error = await failure(fetched());
    expect([error.kind, signed]).toEqual([kind, attempts]);
    expect(paths().filter((path) => path === '/files/h')).toHaveLength(attempts);
    const said = inspect(error, { depth: 10, showHidden: true }) + error.stack + error.toLine();
    for (const secret of [SIGNATURE, '/files/h', KEY]) expect(said).not.toContain(secret);
  });

  test('a file that the service does not know, after only one request', async () => {
    server.say(404, { message: 'No file with the hash is stored.' });
    expect((await failure(fetched())).kind).toBe('not-found');
    expect(server.asked).toHaveLength(1);
  });

  test.each(['ftp://127.0.0.1/x?signature=y', 'file:///etc/passwd', 'no address', '/files/h?signature=y'])(
    'an address that is not HTTP: %s',
    async (address) => {
      server.say(200, JSON.stringify(address));
      const error = await failure(fetched());
      expect([error.kind, error.message]).toEqual([
        'refused',
        'The service gave no valid address for the output file.',
      ]);
    },
  );

  test('an unreachable host', async () => {
    server.say(200, JSON.stringify(`http://127.0.0.1:1/files/h?signature=${SIGNATURE}`));
    const error = await failure(fetched());
    expect(error.kind).toBe('unreachable');
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(SIGNATURE);
  });

  test('a file that is never complete and has different content each time', async () => {
    let length = 1;
    downloads = [(response) => unmeasured(content.subarray(0, length++))(response)];
    expect((await failure(fetched())).kind).toBe('malformed');
  });
});

describe('sizes', () => {
  test('a file whose announced size is too large is not read', async () => {
    downloads = [
      (response) => {
        response.writeHead(200, { 'content-length': 2 ** 40 });
        response.write('a');
      },
    ];
    const error = await failure(fetched(shaOf(content), { most: 2 ** 20 }));
    expect([error.kind, error.message]).toEqual(['too-large', 'The output file is over 1 MiB.']);
    expect(signed).toBe(1);
  });

  test('a file without an announced size is cut off at the limit', async () => {
    let sent = 0;
    downloads = [
      (response) => {
        const more = (): void => {
          if (response.destroyed) return;
          sent += 65_536;
          response.write(Buffer.alloc(65_536), () => setImmediate(more));
        };
        more();
      },
    ];
    expect((await failure(fetched(shaOf(content), { most: 2 ** 20 }))).kind).toBe('too-large');
    expect(sent).toBeGreaterThan(2 ** 20);
  });

  test('a file whose size is exactly the limit is read', async () => {
    expect((await fetched(shaOf(content), { most: content.length })).bytes.equals(content)).toBe(true);
    expect((await failure(fetched(shaOf(content), { most: content.length - 1 }))).kind).toBe('too-large');
  });

  test('the client waits for a slow reader', async () => {
    const large = randomBytes(3_000_000);
    downloads = [whole(large)];
    let busy = 0;
    let most = 0;
    const sink = async (): Promise<void> => {
      most = Math.max(most, (busy += 1));
      await new Promise(setImmediate);
      busy -= 1;
    };
    const client = server.client();
    expect(await client.fetchOutputFile({ hash: shaOf(large), localPath: 'a' }, () => sink)).toBe(
      shaOf(large),
    );
    expect(most).toBe(1);
  });
});

describe('hashes', () => {
  test('a file that is not named by its SHA-256 is accepted if its length is right', async () => {
    for (const hash of ['5d41402abc4b2a76b9719d911017c592', '1', 'ä/../?']) {
      const { bytes, sha256 } = await fetched(hash);
      expect(bytes.equals(content)).toBe(true);
      expect(sha256).toBe(shaOf(content));
    }
    expect(signed).toBe(3);
  });

  test.each([
    ['has a hash that looks like a SHA-256 but is not its SHA-256', whole(content), 'x'.repeat(43)],
    ['has no known length and another kind of hash', unmeasured(content), 'md5'],
  ])('a file that %s is accepted when the same content comes twice', async (_, answer, hash) => {
    downloads = [answer];
    const { bytes, sha256 } = await fetched(hash);
    expect(bytes.equals(content)).toBe(true);
    expect(sha256).toBe(shaOf(content));
    expect(signed).toBe(2);
  });

  test('a file of unknown length is accepted at once if its hash is right', async () => {
    downloads = [unmeasured(content)];
    expect((await fetched()).bytes.equals(content)).toBe(true);
    expect(signed).toBe(1);
  });

  test('any content stays unchanged, also content that looks compressed', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 5_000 }), fc.boolean(), async (bytes, isPacked) => {
        const sent = isPacked ? gzipSync(bytes) : Buffer.from(bytes);
        downloads = [
          (response) =>
            void response
              .writeHead(200, {
                'content-length': sent.length,
                ...(isPacked && { 'content-encoding': 'gzip' }),
              })
              .end(sent),
        ];
        expect((await fetched(shaOf(sent))).bytes.equals(sent)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });
});

test('an error of the writer reaches the caller without another request', async () => {
  const full = new Error('the disk is full');
  const fetching = server.client().fetchOutputFile({ hash: shaOf(content), localPath: 'a' }, () => () => {
    throw full;
  });
  await expect(fetching).rejects.toBe(full);
  expect(signed).toBe(1);
});

test('an abort ends the transfer', async () => {
  const controller = new AbortController();
  downloads = [
    (response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('a', () => controller.abort(new Error('enough')));
    },
  ];
  await expect(fetched(shaOf(content), { signal: controller.signal })).rejects.toThrow('enough');
  expect(signed).toBe(1);
});
