import {
  type Document,
  isAlias,
  isCollection,
  isScalar,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml';
import type { Place } from './errors.ts';
import { quoted } from './suggest.ts';
import { mistakeBehind, TOO_DEEP } from './yaml-mistakes.ts';

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
  /** What to do about it, a sentence. */
  readonly hint: string | undefined;

  constructor(message: string, place: Place, hint?: string) {
    super(message);
    this.place = place;
    this.hint = hint;
  }
}

/**
 * Reads a text that a user wrote, YAML or JSON (which is YAML).
 *
 * @param file the name to put in front of errors
 * @throws YamlError
 */
export function readYaml(text: string, file: string): ReadYaml {
  try {
    return read(text, file);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new YamlError(TOO_DEEP, { file, line: 1, column: 1 });
  }
}

/** @throws RangeError where what is nested needs more of the stack than there is */
function read(text: string, file: string): ReadYaml {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    // a look at each name for each other would take a minute for 40,000
    uniqueKeys: false,
    logLevel: 'error',
  });
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    const [start, end] = [lines.lineStarts[line - 1] ?? 0, lines.lineStarts[line]];
    const whole = text.slice(start, end).replace(/\r?\n$/, '');
    return { file, line: Math.max(1, line), column: Math.max(1, col), text: whole };
  };
  const [syntax] = document.errors;
  if (syntax) {
    const { message, offset, hint } = mistakeBehind(syntax, document, text);
    throw new YamlError(message, placeAt(offset), hint);
  }
  const [unclear] = document.warnings;
  if (unclear) throw new YamlError(unclear.message, placeAt(unclear.pos[0]));
  const key = nestedKeyOffset(document);
  if (key !== undefined) throw new YamlError('A name is a text, not a list or mapping.', placeAt(key));
  const twice = repeatedKey(document);
  if (twice) throw new YamlError(`The name ${quoted(twice.name)} is there twice.`, placeAt(twice.offset));
  const alias = badAlias(document);
  if (alias) throw new YamlError(alias.message, placeAt(alias.offset));
  let plain: unknown;
  try {
    plain = document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new YamlError((error as Error).message, placeAt(aliasesOf(document)[0]?.offset ?? 0));
  }
  const forbidden = prototypeOffset(document);
  if (forbidden !== undefined) {
    throw new YamlError('The name "__proto__" cannot be used.', placeAt(forbidden));
  }
  return { plain, document, locate: (path, at = 'value') => placeAt(offsetOf(document.contents, path, at)) };
}

/** Aliases of a file, and what each may stand for: to find what one stands for takes longer the more there are. */
const MOST_ALIASES = 100;

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

/** The first name that a mapping has twice, and where it is the second time. */
function repeatedKey(document: Document): { name: string; offset: number } | undefined {
  let repeated: { name: string; offset: number } | undefined;
  visit(document, {
    Map(_, { items }) {
      const names = new Set<string>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        // what it is called as a member of an object
        const name = String(key.value);
        if (names.has(name)) {
          repeated = { name, offset: key.range?.[0] ?? 0 };
          return visit.BREAK;
        }
        names.add(name);
      }
    },
  });
  return repeated;
}

/** An alias that stands for nothing, or the first that is too many. */
function badAlias(document: Document): { message: string; offset: number } | undefined {
  const aliases = aliasesOf(document);
  const unknown = aliases.find(({ isKnown }) => !isKnown);
  if (unknown)
    return { message: `Nothing before it is called ${quoted(`&${unknown.name}`)}.`, offset: unknown.offset };
  const tooMany = aliases[MOST_ALIASES];
  return tooMany && { message: `It has more than ${MOST_ALIASES} aliases.`, offset: tooMany.offset };
}

function aliasesOf(document: Document): { name: string; offset: number; isKnown: boolean }[] {
  const anchors = new Set<string>();
  const aliases: { name: string; offset: number; isKnown: boolean }[] = [];
  visit(document, {
    Node(_, node) {
      const offset = node.range?.[0] ?? 0;
      if (isAlias(node)) aliases.push({ name: node.source, offset, isKnown: anchors.has(node.source) });
      else if (node.anchor !== undefined) anchors.add(node.anchor);
    },
  });
  return aliases;
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
