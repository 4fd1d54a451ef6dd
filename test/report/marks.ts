/** The paths of each mark group whose class matches. */
export function marks(page: string, name: string): number[] {
  return [...page.matchAll(new RegExp(`<g class="mark-${name} role-mark[^>]*>(.*?)</g>`, 'gs'))].map(
    ([, group]) => group!.match(/<(path|line)/g)?.length ?? 0,
  );
}
