import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const docs = here('../..');

/** The pages of a folder of docs as entries of the sidebar, by title. */
function pagesOf(folder) {
  return readdirSync(join(docs, folder))
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .map((name) => ({ text: titleOf(join(folder, name)), link: `/docs/${folder}/${name.slice(0, -3)}` }))
    .toSorted((a, b) => a.text.localeCompare(b.text));
}

function titleOf(file) {
  return /^# (.*)$/m.exec(readFileSync(join(docs, file), 'utf8'))[1].replaceAll('`', '');
}

export default defineConfig({
  title: 'foray',
  description: 'foray runs campaigns of simulation runs, and continues them after crashes',
  // the root of the repository, so that links to all its pages work; a broken link fails the build
  srcDir: '../..',
  srcExclude: ['**/node_modules/**', 'dist/**', 'test/**', 'src/**', 'reports/**', 'examples/**'],
  rewrites: {
    'README.md': 'index.md',
    'docs/README.md': 'docs/index.md',
    'docs/internals/decisions/README.md': 'docs/internals/decisions/index.md',
  },
  // braces in our texts are JSON, not attributes of Markdown
  markdown: { attrs: { disable: true } },
  outDir: here('../dist'),
  cacheDir: here('../node_modules/.cache'),
  // pages are outside this folder, so they find Vue only by this alias
  vite: { resolve: { alias: { vue: here('../node_modules/vue') } } },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Getting started', link: '/docs/getting-started' },
      { text: 'Gallery', link: '/docs/gallery' },
      { text: 'Concepts', link: '/docs/concepts' },
      { text: 'Guides', link: '/docs/#guides' },
      { text: 'Reference', link: '/docs/#reference' },
    ],
    sidebar: [
      { text: 'Getting started', link: '/docs/getting-started' },
      { text: 'Gallery', link: '/docs/gallery' },
      { text: 'Concepts', link: '/docs/concepts' },
      { text: 'Guides', items: pagesOf('guides') },
      { text: 'Reference', items: [...pagesOf('reference'), ...pagesOf('reference/models')] },
      {
        text: 'Internals',
        collapsed: true,
        items: [...pagesOf('internals'), { text: 'Decisions', link: '/docs/internals/decisions/' }],
      },
      { text: 'Contributing', link: '/CONTRIBUTING' },
      { text: 'Changelog', link: '/CHANGELOG' },
    ],
    outline: 'deep',
  },
});
