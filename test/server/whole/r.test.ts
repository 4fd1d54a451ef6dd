import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../../service/support.ts';
import { report } from '../../support/seeds.ts';
import { KEY, startWorld } from '../../support/world.ts';
import { EPIDEMIC } from '../../service/fixed.ts';
import { serverOf } from '../support.ts';

const DOCS = resolve(import.meta.dirname, '../../../docs');
const hasR = spawnSync('Rscript', ['-e', 'stopifnot(requireNamespace("jsonlite"))']).status === 0;
if (!hasR) report('left out: the lines of docs/guides/r.md, because R with jsonlite is not installed');

/** The code blocks of a page in one language. */
function blocksOf(page: string, language: string): string[] {
  const text = readFileSync(join(DOCS, page), 'utf8');
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(([, code]) => code!);
}

(hasR ? test : test.skip)(
  'R submits a campaign and reads its results with the lines of the guide',
  async () => {
    const world = await startWorld({ models: [EPIDEMIC] });
    await world.startWorker();
    const server = await serverOf(world);
    const folder = temporaryFolder();
    try {
      const definition = blocksOf('getting-started.md', 'yaml').find((block) =>
        block.startsWith('campaign: flu'),
      );
      writeFileSync(join(folder, 'flu.yaml'), definition!);
      writeFileSync(join(folder, 'flu.R'), blocksOf('guides/r.md', 'r').join('\n'));
      const env = { ...process.env, FORAY_URL: server.url, FORAY_KEY: KEY };
      const child = spawn('Rscript', ['flu.R'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
      const [told, faults, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'exit') as Promise<[number | null]>,
      ]);
      expect([code, faults]).toEqual([0, '']);
      // R prints a mean for each of the three contact rates
      expect(told).toMatch(/Contact rate\W+Attack rate\n1 +1\.2 +0\.\d+\n2 +1\.6 +0\.\d+\n3 +2\.0 +0\.\d+/);
    } finally {
      await server.close();
      await world.close();
    }
  },
);
