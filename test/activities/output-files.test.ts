import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { OutputFileFetcher } from '../../src/activities/output-file-fetcher.ts';
import { MOST_KEPT_BYTES } from '../../src/campaign/output-files.ts';
import type { Campaign } from '../../src/campaign/types.ts';
import { openStore } from '../../src/store/index.ts';
import { whole } from '../cloud/downloads.ts';
import { startServer } from '../cloud/support.ts';
import { add, campaign } from '../store/fixtures.ts';

test.each([
  ['3 MiB is kept', 3 * 1_048_576, true],
  ['more than the limit is recorded as missing', MOST_KEPT_BYTES + 1, false],
])('an output file of %s', async (_what, size, isKept) => {
  const content = Buffer.alloc(size, 'x');
  const hash = createHash('sha256').update(content).digest('base64url');
  const server = await startServer();
  server.answer((response, { url }) => {
    if (url.startsWith('/files/')) whole(content)(response);
    else response.end(JSON.stringify(`${new URL(server.url).origin}/files/h`));
  });
  const store = await openStore('sqlite::memory:');
  try {
    await add(store);
    const world = { store, cloud: server.client(), service: server.url, now: Date.now };
    const output = { name: 'File', type: 'OUTPUT_FILE', units: null } as const;
    const kept: Campaign = { ...campaign('flu'), outputs: [output], outputFiles: 'keep' };
    const fetcher = new OutputFileFetcher(world, kept, new AbortController().signal);
    await fetcher.keep([{ File: JSON.stringify({ hash, localPath: 'File' }) }]);
    expect((await store.getFile(hash))?.length).toBe(isKept ? size : undefined);
    expect(await store.missingFiles('flu')).toEqual(isKept ? [] : [{ lack: 'too-large', count: 1 }]);
  } finally {
    await store.close();
  }
});
