/** Makes the pictures in docs/pictures/gallery: the first picture of the report of each entry, or of the entries that are given. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { standalone } from '../src/report/pictures/figure.ts';
import { Gallery } from '../test/support/gallery.ts';

const pictures = resolve(import.meta.dirname, '../docs/pictures/gallery');
mkdirSync(pictures, { recursive: true });
const gallery = await Gallery.open();
try {
  const given = process.argv.slice(2);
  for (const name of given.length > 0 ? given : gallery.names) {
    const seconds = await gallery.run(name);
    const page = readFileSync(join(gallery.folder, `${name}.html`), 'utf8');
    const [svg] = /<svg[^>]*aria-label=[^]*?<\/svg>/.exec(page)!;
    writeFileSync(join(pictures, `${name}.svg`), `${standalone({ svg })}\n`);
    process.stdout.write(`${name}: ${seconds.toFixed(1)} s\n`);
  }
} finally {
  await gallery.close();
}
