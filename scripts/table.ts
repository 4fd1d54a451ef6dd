/** A Markdown table in the format of oxfmt. */
export function table(head: string[], rows: string[][]): string {
  const cells = [head, ...rows].map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  const widths = head.map((_, at) => Math.max(...cells.map((row) => row[at]!.length)));
  const [first, ...rest] = cells.map(
    (row) => `| ${row.map((cell, at) => cell.padEnd(widths[at]!)).join(' | ')} |`,
  );
  return [first, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...rest].join('\n');
}

/** Replaces the tables of a page. Each table is between `<!-- generated: NAME -->` and `<!-- end -->`. */
export function withTables(page: string, tables: Record<string, () => string>): string {
  return page.replaceAll(
    /(<!-- generated: (\S+) -->\n)[^]*?(<!-- end -->)/g,
    (_, begin: string, name: string, end: string) => `${begin}\n${tables[name]!()}\n\n${end}`,
  );
}
