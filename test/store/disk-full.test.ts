import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { openStore } from '../../src/store/index.ts';
import { FREE_SPACE } from '../../src/system/disk-full.ts';
import { fillDisk, smallDisk } from '../support/small-disk.ts';
import { campaign, done, points } from './fixtures.ts';

const isRoot = process.getuid?.() === 0 && process.platform === 'linux';

// only root may mount a file system, and in some containers even root may not
(isRoot ? describe : describe.skip)('a store on a full disk', () => {
  test('says that the disk is full, changes nothing, and continues when there is room', async () => {
    const disk = smallDisk('4m');
    if (disk === undefined)
      return console.warn('The test is left out: this process cannot mount a file system.');
    const store = await openStore(`sqlite:${join(disk.folder, 'store.db')}`);
    try {
      await store.addCampaign({ campaign: campaign('flu'), definition: '', digest: '' }, 1);
      await store.addPoints('flu', points(20), 1);
      await store.setPhase('flu', 'running', 1);
      const seqs = Array.from({ length: 20 }, (_, seq) => seq);
      await store.intend('flu', seqs, 1);
      const filler = join(disk.folder, 'filler');
      fillDisk(filler);

      // The texts cannot be compressed. Together they are larger than SQLite's cache of 2 MB, so that the disk becomes
      // full during a statement and not only at the commit.
      const long = JSON.stringify(randomBytes(225_000).toString('base64'));
      const finished = seqs.map((seq) => done(seq, 'new', { 'Fit error': `${long.slice(0, -1)}${seq}"` }));
      const written = store.putFile('hash', new Uint8Array(3_000_000), 1);
      const full = {
        code: 'STORE_UNUSABLE',
        message: `The disk of the store ${join(disk.folder, 'store.db')} is full.`,
        hint: FREE_SPACE,
      };
      await expect(written).rejects.toMatchObject(full);
      await expect(store.observe('flu', finished, 2)).rejects.toMatchObject(full);
      expect(await store.counts('flu')).toMatchObject({ done: 0 });

      rmSync(filler);
      await store.observe(
        'flu',
        seqs.map((seq) => done(seq, 'new', { 'Fit error': '"x"' })),
        3,
      );
      expect(await store.counts('flu')).toMatchObject({ done: 20 });
    } finally {
      await store.close();
      disk.remove();
    }
  });
});
