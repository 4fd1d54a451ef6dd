import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { ROOT } from './cli.ts';

/** A Markdown page of the repository: its path from the root, and its text without code blocks. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

/** README.md, CONTRIBUTING.md, CHANGELOG.md, and every page below docs and examples, in a checkout or a package. */
export function pages(root = ROOT, examples = 'examples'): Page[] {
  const pattern = ['*.md', 'docs/**/*.md', `${examples}/**/*.md`];
  const exclude = ['**/node_modules/**'];
  return globSync(pattern, { cwd: root, exclude }).map((path) => ({
    path,
    text: readFileSync(join(root, path), 'utf8').replace(/^```[^]*?^```$/gm, ''),
  }));
}

/** The ids that GitHub gives the headings of a page. */
export function anchors(text: string): Set<string> {
  const found = new Map<string, number>();
  for (const [, heading] of text.matchAll(/^#+ (.+)$/gm)) {
    const id = heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const before = found.get(id) ?? 0;
    found.set(id, before + 1);
    if (before > 0) found.set(`${id}-${String(before)}`, 1);
  }
  return new Set(found.keys());
}

/** The links of a page to missing files or headings, as the page writes these links. */
export function brokenLinks({ path, text }: Page, root = ROOT): string[] {
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => match[1]!);
  return targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [file, anchor] = target.split('#') as [string, string?];
    const full = file === '' ? join(root, path) : resolve(root, dirname(path), file);
    if (!existsSync(full) || relative(root, full).startsWith('..')) return true;
    return anchor !== undefined && !anchors(readFileSync(full, 'utf8')).has(anchor);
  });
}
