/** The number of paths and lines in each group of marks of one type, such as "symbol" or "rule". */
export function marks(page: string, name: string): number[] {
  return [...page.matchAll(new RegExp(`<g class="mark-${name} role-mark[^>]*>(.*?)</g>`, 'gs'))].map(
    ([, group]) => group!.match(/<(path|line)/g)?.length ?? 0,
  );
}
