const ITEM = /\s*(?:"((?:[^"]|"")*)"\s*|([^,]*))(,|$)/g;

/**
 * The items of a list with commas between them, such as `1, 2`. An item with a comma, or with a blank at its beginning
 * or end, is in quotes: `"B, C", A`. In such an item, `""` means a quote.
 */
export function listItems(text: string): string[] {
  const items: string[] = [];
  for (const [, quoted, plain, end] of text.matchAll(ITEM)) {
    items.push(quoted?.replaceAll('""', '"') ?? plain!.trim());
    // without this, the empty rest of the text would be another item
    if (end === '') break;
  }
  return items;
}

/** The first items of a list, in a sentence: `A, B, C and 2 more`. */
export function firstItems(items: readonly string[], most: number): string {
  const more = items.length - most;
  return `${items.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
