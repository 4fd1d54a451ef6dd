import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { startProcess } from '../process.ts';
import { KEY, temporaryFolder } from '../support.ts';

const MB = 1024 ** 2;
/** The size of the file. A service that held it in memory would grow by more than it may. */
const SIZE = 130 * MB;
const GROWTH = 100 * MB;

/** Yields the blocks of the file, all of them different. Adds each block to a hash. */
function* blocks(hash: { update(data: Buffer): unknown }) {
  for (let at = 0; at < SIZE / MB; at++) {
    const block = Buffer.alloc(MB, `block ${at} `);
    hash.update(block);
    yield block;
  }
}

describe('a large file', () => {
  const hasProc = process.platform === 'linux';
  (hasProc ? test : test.skip)(
    'of 130 MB is uploaded and downloaded, and the memory of the service grows by less than 100 MB',
    async () => {
      const { child, url } = await startProcess(temporaryFolder());
      const headers = { Authorization: KEY };
      const memory = (what: string) =>
        Number(new RegExp(`${what}:\\s+(\\d+)`).exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]) *
        1024;
      await (await fetch(`${url}/upload-file`, { method: 'POST', headers, body: 'something small' })).json();
      const before = memory('VmRSS');

      const sent = createHash('sha256');
      const answer = await fetch(`${url}/upload-file`, {
        method: 'POST',
        headers,
        body: Readable.toWeb(Readable.from(blocks(sent))),
        duplex: 'half',
      });
      const hash = sent.digest('base64url');
      expect([answer.status, await answer.json()]).toEqual([200, hash]);

      const signed = (await (
        await fetch(`${url}/output-file?hash=${hash}&filename=large`, { headers })
      ).json()) as string;
      const got = createHash('sha256');
      const download = await fetch(signed);
      expect(download.headers.get('content-length')).toBe(String(SIZE));
      for await (const chunk of download.body as AsyncIterable<Uint8Array>) got.update(chunk);
      expect(got.digest('base64url')).toBe(hash);
      // the peak memory of the process
      expect(memory('VmHWM') - before).toBeLessThan(GROWTH);
    },
  );
});
