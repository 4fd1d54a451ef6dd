import type { Document } from 'yaml';
import { isMap, isNode, isSeq, type Node, Scalar, visit, YAMLMap, YAMLSeq } from 'yaml';
import { nameKey } from '../../api/index.ts';
import { kinds } from '../designs/index.ts';
import { asMapping, isEqual, isMapping } from './fields.ts';
import { STRATEGIES } from './shape.ts';

/**
 * The text of a definition after a change of some settings.
 *
 * @param isOther - whether the way is another one. What no field shows of the former way then goes, too: a definition has
 *   one way.
 */
export function withChange(
  { text, document }: { text: string; document: Document },
  before: unknown,
  after: unknown,
  isOther: boolean,
): string {
  writeOut(document);
  const root = isMap(document.contents) ? document.contents : new YAMLMap();
  change(root, before, after);
  if (isOther) {
    const { design, ...strategy } = asMapping(after);
    for (const name of STRATEGIES) if (!(name in strategy)) root.delete(name);
    const designs = root.get('design');
    if (isMap(designs)) for (const kind of kinds) if (!(kind in asMapping(design))) designs.delete(kind);
    if (isMap(designs) && designs.items.length === 0) root.delete('design');
  }
  document.contents = root as typeof document.contents;
  // a number that has not changed stays as a person wrote it, such as 1e3
  document.schema.tags = document.schema.tags.map((tag) =>
    !tag.collection && /:(int|float)$/.test(tag.tag)
      ? { ...tag, stringify: (node, ...rest) => node.source ?? tag.stringify!(node, ...rest) }
      : tag,
  );
  return document.toString({ lineWidth: 0, ...styleOf(text) });

  function change(map: YAMLMap, old: unknown, fresh: unknown): void {
    const [from, to] = [asMapping(old), asMapping(fresh)];
    for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
      const [was, is] = [from, to].map((one) => (Object.hasOwn(one, key) ? one[key] : undefined));
      if (isEqual(was, is)) continue;
      const name = nameIn(map, key);
      const inner = mapAt(map, name);
      if (inner && isMapping(is ?? was)) {
        if (inner.items.length === 0) inner.flow = false;
        change(inner, was, is);
        if (is === undefined && inner.items.length === 0) map.delete(name);
      } else if (is === undefined) map.delete(name);
      else replace(map, name, nodeOf(document, is));
    }
  }

  /** The mapping at a name. An empty value becomes a mapping. */
  function mapAt(map: YAMLMap, name: string): YAMLMap | undefined {
    const target = map.get(name, true);
    if (isMap(target)) return target;
    if (!(target instanceof Scalar) || target.value !== null) return undefined;
    const empty = new YAMLMap();
    empty.comment = target.comment;
    map.set(name, empty);
    return empty;
  }
}

/** Matches an opening bracket without a blank after it. */
const TIGHT_BRACKET = /^[^#\n]*[:,[{-] *[{[][^\s{}[\]]/m;
/** Matches a setting whose value begins on the next line, and the blanks before the value. */
const INDENTED = /^[^#\s][^#\n]*:[^\S\n]*\n( +)[^\s#-]/m;

/** How a text is written: the blanks in brackets and at the start of lines. */
function styleOf(text: string): { flowCollectionPadding: boolean; indent: number } {
  return {
    flowCollectionPadding: !TIGHT_BRACKET.test(text),
    indent: INDENTED.exec(text)?.[1]!.length ?? 2,
  };
}

/**
 * Replaces each alias by a copy of what it stands for, and removes the anchors. Otherwise the change of one setting
 * would also change all others that share its value.
 */
function writeOut(document: Document): void {
  visit(document, {
    Alias(_, alias) {
      const copy = alias.resolve(document)!.clone() as Node;
      copy.comment = alias.comment;
      copy.commentBefore = alias.commentBefore;
      return copy;
    },
  });
  visit(document, {
    Node(_, node) {
      delete (node as { anchor?: string }).anchor;
    },
  });
}

/** Gives a setting a new value. Its comments stay, and so do those of the items of a list that stay. */
function replace(map: YAMLMap, name: string, fresh: Node): void {
  const old = map.get(name, true) as Node | undefined;
  if (old) {
    fresh.comment = old.comment;
    fresh.commentBefore = old.commentBefore;
    if (isSeq(old) && isSeq(fresh)) {
      keepItems(old as YAMLSeq<Node>, fresh as YAMLSeq<Node>);
      fresh.flow = old.flow;
    }
  }
  map.set(name, fresh);
}

/** Keeps the items of a list that stay, with their comments. An item that has only changed keeps its own comments. */
function keepItems(old: YAMLSeq<Node>, fresh: YAMLSeq<Node>): void {
  const valueOf = (node: Node): unknown => node.toJSON() as unknown;
  const textOf = (value: unknown): string =>
    JSON.stringify(isMapping(value) ? Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)) : value);
  // by their text, so that an item of a long list is not compared with all others; the first item is the last of its group
  const alike = Map.groupBy(old.items.toReversed(), (item) => textOf(valueOf(item)));
  const rest = new Set(old.items);
  const staying = fresh.items.map((item) => {
    const value = valueOf(item);
    const group = alike.get(textOf(value));
    const same = group?.at(-1);
    if (same === undefined || !isEqual(valueOf(same), value)) return undefined;
    group!.pop();
    rest.delete(same);
    return same;
  });
  fresh.items = fresh.items.map((item, at) => {
    const former = old.items[at];
    if (!staying[at] && former && rest.has(former) && old.items.length === fresh.items.length) {
      item.comment = former.comment;
      item.commentBefore = former.commentBefore;
    }
    return staying[at] ?? item;
  });
}

/** The name of a setting as the text has it. Names of inputs may be in another case. */
function nameIn(map: YAMLMap, key: string): string {
  const names = map.items.map(({ key: node }) => String(node instanceof Scalar ? node.value : node));
  return names.find((name) => name === key) ?? names.find((name) => nameKey(name) === nameKey(key)) ?? key;
}

/** A value as YAML: lists and mappings are on one line if nothing in them is a mapping. */
function nodeOf(document: Document, value: unknown): Node {
  const node = document.createNode(value);
  putOnOneLine(node);
  return node;
}

/** Puts a node and its parts on one line, if that is possible. @returns whether the node is on one line */
function putOnOneLine(node: unknown): boolean {
  if (!(node instanceof YAMLMap) && !(node instanceof YAMLSeq)) return true;
  const parts = node.items.map((item) => (isNode(item) ? item : (item as { value: unknown }).value));
  node.flow = parts.every(putOnOneLine) && parts.every((part) => !(part instanceof YAMLMap));
  return node.flow;
}
