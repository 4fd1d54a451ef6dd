import { type Document, isCollection, isScalar, LineCounter, type Node, parseDocument, visit } from 'yaml';
import type { Place } from './errors.ts';

/** The place in a user's file of the value (or, for `key`, of the name) at a path like ['design', 'grid', 'Days']. */
export type Locate = (path: readonly PropertyKey[], at?: 'key' | 'value') => Place;

/** A user's file that was read, with the means to say where in it something stands. */
export interface ReadYaml {
  plain: unknown;
  document: Document;
  locate: Locate;
}

/** Why a text is not YAML, and where. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
  readonly place: Place;

  constructor(message: string, place: Place) {
    super(message);
    this.place = place;
  }
}

/**
 * Reads a text that a user wrote, YAML or JSON (which is YAML).
 *
 * @param file the name to put in front of errors
 * @throws YamlError
 */
export function readYaml(text: string, file: string): ReadYaml {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: true,
    logLevel: 'error',
  });
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    const [start, end] = [lines.lineStarts[line - 1] ?? 0, lines.lineStarts[line]];
    const whole = text.slice(start, end).replace(/\r?\n$/, '');
    return { file, line: Math.max(1, line), column: Math.max(1, col), text: whole };
  };
  const [syntax] = document.errors;
  if (syntax) throw new YamlError(syntax.message, placeAt(syntax.pos[0]));
  const [unclear] = document.warnings;
  if (unclear) throw new YamlError(unclear.message, placeAt(unclear.pos[0]));
  const key = nestedKeyOffset(document);
  if (key !== undefined) throw new YamlError('A name is a text, not a list or mapping.', placeAt(key));
  let plain: unknown;
  try {
    plain = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new YamlError((error as Error).message, placeAt(aliasOffset(document)));
  }
  const forbidden = prototypeOffset(document);
  if (forbidden !== undefined) {
    throw new YamlError('The name "__proto__" cannot be used.', placeAt(forbidden));
  }
  return { plain, document, locate: (path, at = 'value') => placeAt(offsetOf(document.contents, path, at)) };
}

/** Where a list or mapping stands for a name. */
function nestedKeyOffset(document: Document): number | undefined {
  let offset: number | undefined;
  visit(document, {
    Pair(_, { key }) {
      if (!isCollection(key)) return;
      offset = key.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return offset;
}

/** Where the one name is that JavaScript objects do not keep as they keep others. */
function prototypeOffset(document: Document): number | undefined {
  let offset: number | undefined;
  visit(document, {
    Pair(_, { key }) {
      if (!isScalar(key) || key.value !== '__proto__') return;
      offset = key.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return offset;
}

/** Where an alias is that stands for nothing, or for far too much (then the first one). */
function aliasOffset(document: Document): number {
  const aliases: { offset: number; resolves: boolean }[] = [];
  visit(document, {
    Alias(_, alias) {
      aliases.push({ offset: alias.range?.[0] ?? 0, resolves: alias.resolve(document) !== undefined });
    },
  });
  return (aliases.find(({ resolves }) => !resolves) ?? aliases[0])?.offset ?? 0;
}

/** Walks down the document as far as the path goes, so that something missing is placed at what should hold it. */
function offsetOf(root: unknown, path: readonly PropertyKey[], at: 'key' | 'value'): number {
  let node = root as Node | null;
  let offset = node?.range?.[0] ?? 0;
  for (const [depth, segment] of path.entries()) {
    if (!node || !('items' in node)) break;
    const items = (node as { items: unknown[] }).items;
    const item =
      typeof segment === 'number'
        ? items[segment]
        : items.find((pair) => {
            const { key } = pair as { key?: unknown };
            return isScalar(key) && String(key.value) === String(segment);
          });
    if (!item) break;
    const pair = item as { key?: Node; value?: Node | null };
    const isPair = 'key' in pair && 'value' in pair;
    const last = depth === path.length - 1;
    node = isPair ? (pair.value ?? null) : (item as Node);
    offset = (isPair && last && at === 'key' ? pair.key?.range?.[0] : node?.range?.[0]) ?? offset;
  }
  return offset;
}
