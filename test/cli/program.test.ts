import { describe, expect, it } from '@jest/globals';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { foray } from '../support/cli.ts';

describe('what Node has compiled of the program', () => {
  it('is kept in the folder of caches', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'foray-program-'));
    try {
      const env = { XDG_CACHE_HOME: folder, NODE_COMPILE_CACHE: '' };
      expect(await foray(folder, ['--version'], { env })).toMatchObject({ code: 0, stderr: '' });
      const [version] = readdirSync(join(folder, 'foray/compiled'));
      expect(readdirSync(join(folder, 'foray/compiled', version!)).length).toBeGreaterThan(100);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('is not kept where nothing can be written, of which nobody hears', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'foray-program-'));
    try {
      writeFileSync(join(folder, 'file'), '');
      const env = { XDG_CACHE_HOME: join(folder, 'file'), NODE_COMPILE_CACHE: '' };
      expect(await foray(folder, ['--version'], { env })).toMatchObject({ code: 0, stderr: '' });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
