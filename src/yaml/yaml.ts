import {
  type Document,
  isAlias,
  isCollection,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml';
import type { LinePlace, Place } from '../errors.ts';
import { quoted } from '../text/suggest.ts';
import { type Mistake, mistakeBehind, TOO_DEEP } from './yaml-mistakes.ts';

/**
 * Finds the place of a value in a user's file by its path, such as ['design', 'grid', 'Days']; at `key`, the place of
 * the value's name.
 */
export type Locate = (path: readonly PropertyKey[], at?: 'key' | 'value') => Place;

/** The content of a user's file, and a function that finds places in it. */
export interface ReadYaml {
  plain: unknown;
  document: Document;
  locate: Locate;
}

/** An error that says why and where foray cannot read a text as YAML. */
export class YamlError extends Error {
  override readonly name = 'YamlError';
  readonly place: Place;
  /** A sentence that says what to do. */
  readonly hint: string | undefined;

  constructor(message: string, place: Place, hint?: string) {
    super(message);
    this.place = place;
    this.hint = hint;
  }
}

/**
 * Parses the YAML or JSON (which is YAML) of a user.
 *
 * @param file the file's name in errors
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

/** @throws RangeError when the nesting is too deep for the stack */
function read(text: string, file: string): ReadYaml {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    // the library would compare every name with all others, which takes a minute for 40,000 names
    uniqueKeys: false,
    logLevel: 'error',
  });
  const placeAt = (offset: number): LinePlace => {
    const { line, col } = lines.linePos(offset);
    const [start, end] = [lines.lineStarts[line - 1] ?? 0, lines.lineStarts[line]];
    const wholeLine = text.slice(start, end).replace(/\r?\n$/, '');
    return { file, line: Math.max(1, line), column: Math.max(1, col), text: wholeLine };
  };
  const mistake = firstMistake(document, text);
  if (mistake) throw new YamlError(mistake.message, placeAt(mistake.offset), mistake.hint);
  let plain: unknown;
  try {
    plain = document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw new YamlError((error as Error).message, placeAt(aliasesOf(document)[0]?.offset ?? 0));
  }
  // the only name that JavaScript objects treat differently
  const forbidden = keyOffset(document, (node) => isScalar(node) && node.value === '__proto__');
  if (forbidden !== undefined) {
    throw new YamlError('The name "__proto__" cannot be used.', placeAt(forbidden));
  }
  return {
    plain,
    document,
    locate: (path, at = 'value') => ({
      ...placeAt(offsetOf(document.contents, path, at)),
      setting: path.map(String),
    }),
  };
}

/** The first mistake, among those that show before the values are read. */
function firstMistake(document: Document.Parsed, text: string): Mistake | undefined {
  const [syntax] = document.errors;
  if (syntax) return mistakeBehind(syntax, document, text);
  const [warning] = document.warnings;
  if (warning) return { message: warning.message, offset: warning.pos[0] };
  const key = keyOffset(document, isCollection);
  if (key !== undefined) return { message: 'A name must be a text, not a list or mapping.', offset: key };
  const merge = mergeOffset(document);
  if (merge !== undefined) {
    const hint = 'Write the names and values here.';
    return { message: 'Merge keys (<<) are not supported.', offset: merge, hint };
  }
  const twice = repeatedKey(document);
  if (twice) return { message: `The name ${quoted(twice.name)} appears twice.`, offset: twice.offset };
  return badAlias(document);
}

/** The offset of a merge key, whose value is an alias or a list of aliases. Otherwise `<<` is a name. */
function mergeOffset(document: Document): number | undefined {
  let offset: number | undefined;
  visit(document, {
    Pair(_, { key, value }) {
      if (!isScalar(key) || key.source !== '<<' || key.type !== 'PLAIN') return;
      if (!isAlias(value) && !(isSeq(value) && value.items.some(isAlias))) return;
      offset = key.range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return offset;
}

/** The offset of the first key that is found. */
function keyOffset(document: Document, isFound: (key: unknown) => boolean): number | undefined {
  let offset: number | undefined;
  visit(document, {
    Pair(_, { key }) {
      if (!isFound(key)) return;
      offset = (key as Node).range?.[0] ?? 0;
      return visit.BREAK;
    },
  });
  return offset;
}

/** The first repeated name in a mapping, and the offset of its second occurrence. */
function repeatedKey(document: Document): { name: string; offset: number } | undefined {
  let repeated: { name: string; offset: number } | undefined;
  visit(document, {
    Map(_, { items }) {
      const names = new Set<string>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        // the property that this key becomes in a JavaScript object
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

/**
 * The maximum number of aliases in a file, because resolving many aliases is slow. The uses of one anchor may also
 * expand to at most this many aliases.
 */
const MOST_ALIASES = 100;

/** The first alias that is a part of its own value or has no anchor. Otherwise the first one above the limit. */
function badAlias(document: Document): Mistake | undefined {
  const aliases = aliasesOf(document);
  const endless = aliases.find(({ isInside }) => isInside);
  if (endless)
    return {
      message: `The alias ${quoted(`*${endless.name}`)} is a part of what it stands for.`,
      offset: endless.offset,
    };
  const unknown = aliases.find(({ isKnown }) => !isKnown);
  if (unknown)
    return {
      message: `No anchor ${quoted(`&${unknown.name}`)} comes before this alias.`,
      offset: unknown.offset,
    };
  const tooMany = aliases[MOST_ALIASES];
  return tooMany && { message: `The file has more than ${MOST_ALIASES} aliases.`, offset: tooMany.offset };
}

interface FoundAlias {
  name: string;
  offset: number;
  /** Whether its anchor comes before it. */
  isKnown: boolean;
  /** Whether the value of its anchor contains it. */
  isInside: boolean;
}

function aliasesOf(document: Document): FoundAlias[] {
  const anchors = new Set<string>();
  const aliases: FoundAlias[] = [];
  visit(document, {
    Node(_, node, path) {
      const offset = node.range?.[0] ?? 0;
      if (isAlias(node)) {
        const { source: name } = node;
        const isInside = path.some((one) => isCollection(one) && one.anchor === name);
        aliases.push({ name, offset, isKnown: anchors.has(name), isInside });
      } else if (node.anchor !== undefined) anchors.add(node.anchor);
    },
  });
  return aliases;
}

/** The offset of the value at a path. If the value is missing: the offset of the innermost container that exists. */
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
    node = isPair ? (pair.value ?? null) : (item as Node);
    const isLast = depth === path.length - 1;
    const wanted = isPair && isLast && at === 'key' ? pair.key : node;
    offset = wanted?.range?.[0] ?? offset;
  }
  return offset;
}
