import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { startService } from '../../src/service/service.ts';
import { EPIDEMIC, outputsOf, startTestService, temporaryFolder } from './support.ts';

/** The page size of SQLite, in bytes. */
const PAGE = 4096;

describe('a database', () => {
  test('that is truncated or has damaged pages is refused at the start with the name of its file, and stays unchanged', async () => {
    const service = await startTestService({ modelDirs: [EPIDEMIC] });
    const version = await service.latest('Epidemic');
    for (const days of [5, 10, 15]) await outputsOf(service, version, { Days: days });
    await service.close();
    const whole = readFileSync(path.join(service.dataDir, 'service.db'));
    const pages = whole.length / PAGE;
    expect(pages).toBeGreaterThan(10);

    const torn = [1, Math.floor(pages / 2), pages - 1].flatMap((page) => [
      { what: `cut at page ${page}`, bytes: whole.subarray(0, page * PAGE) },
      { what: `cut within page ${page}`, bytes: whole.subarray(0, page * PAGE + 1_000) },
    ]);
    const flipped = [0, 1, Math.floor(pages / 3), pages - 1].map((page) => {
      const bytes = Buffer.from(whole);
      bytes[page * PAGE]! ^= 1;
      return { what: `a bit flipped in page ${page}`, bytes };
    });
    for (const { what, bytes } of [...torn, ...flipped]) {
      const dataDir = temporaryFolder();
      cpSync(service.dataDir, dataDir, { recursive: true });
      const file = path.join(dataDir, 'service.db');
      writeFileSync(file, bytes);
      const refused = await startService({ dataDir, modelDirs: [] }).then(
        (running) => running.close(),
        (error: unknown) => error as { code: string; message: string },
      );
      expect([what, refused?.code, refused?.message]).toEqual([
        what,
        'STORE_UNUSABLE',
        expect.stringContaining(file),
      ]);
      expect([what, readFileSync(file).equals(bytes)]).toEqual([what, true]);
    }
  });
});
