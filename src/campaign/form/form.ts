import type { Document } from 'yaml';
import { isMap, isNode, isSeq, type Node, Scalar, visit, YAMLMap, YAMLSeq } from 'yaml';
import { nameKey } from '../../api/index.ts';
import { campaignName } from '../definition.ts';
import { isForSensitivity, kinds, kindTitles } from '../designs/index.ts';
import { readText } from '../read.ts';
import type { ReadYaml } from '../../yaml/yaml.ts';
import {
  chosenIn,
  type Fields,
  fieldsOf,
  isAt,
  isEqual,
  isMapping,
  pathOfField,
  shapeAt,
  valueIn,
  within,
} from './fields.ts';
import { observationsIn } from './observations.ts';
import { type FormModel, formShape, type GroupShape, type Shape, STRATEGIES } from './shape.ts';
import type { Question } from '../question.ts';

/**
 * The form of a definition: its fields and its text always say the same. A change of fields changes only the settings
 * that these fields show, so comments and settings without a field stay as they are.
 */

/** A form as a browser sends it. */
export interface PostedForm {
  /** The text of the definition, which a person may have changed. */
  text: string;
  /** The text for which the fields were filled in. The difference between it and the fields is what a person changed. */
  was: string;
  /** The fields; none if the browser has only the text. */
  fields: Fields;
  /** A CSV file with observations, which replace those in the fields. */
  observations?: string | undefined;
}

export interface Form extends Omit<PostedForm, 'observations'> {
  /** The model that the text names; empty if it names none. */
  model: string;
  /** The settings in the text that the form does not show. */
  notShown: string[];
}

/** What a person wants to know, and how a campaign finds it: a kind of design, or a strategy. */
export interface Way {
  name: string;
  title: string;
  question: Question;
}

/** All ways, in the order of a form. The way '' is a single point. */
export const ways: readonly Way[] = [
  { name: '', title: 'One point', question: 'try' },
  ...kinds.flatMap((name): Way[] =>
    name in kindTitles
      ? [{ name, title: kindTitles[name]!, question: isForSensitivity(name) ? 'matter' : 'try' }]
      : [],
  ),
  { name: 'search', title: 'Search', question: 'best' },
  { name: 'select', title: 'Best of listed points', question: 'best' },
  { name: 'calibrate', title: 'Calibration (ABC)', question: 'fit' },
];

const STRATEGY = chosenIn('', STRATEGIES);
/** The field that says which kind of design is in use. */
export const KIND = chosenIn('design', kinds);

/** The way of the campaign in a form. */
export function wayOf(fields: Fields): string {
  return fields.get(STRATEGY) || fields.get(KIND) || '';
}

/** The setting for the observations of a calibration. */
export const OBSERVED = ['calibrate', 'abc', 'observed'].reduce(within);

/** The strategies that need no design. */
const WITHOUT_DESIGN = ['search', 'calibrate'];

/** The strategies that have a goal, and refuse another one. */
export const GOAL_OF_ITS_OWN = ['search', 'select'];

/** Not a part of a definition: says that the form has added the seed, and not a person. */
const ADDED_SEED = chosenIn('seed');
const REPLICATIONS = chosenIn('replications');
const COMMON = 'commonRandomNumbers';
/** The settings that some ways refuse. A field outside the definition keeps what such a way took out of use. */
const REFUSABLE = new Map([REPLICATIONS, COMMON].map((field) => [field, `${field.replace('?', '')}?was`]));
/** Not a part of a definition: the kind of the design from which a selection chose before. */
const SELECTED = 'select?design';
/** The fields for what is minimized or maximized, in each of their places. */
const GOAL = /^(goal|search|select)[/?](minimize|maximize)/;

/**
 * The fields for another way. Settings that it refuses go out of use: a second goal, a kind of replications, and the seed
 * that only a calibration needs. What a former way refused comes back, and a selection gets its kind of design again.
 */
function withWay(shape: GroupShape, posted: Fields, carried: Fields, way: string): Fields {
  const isStrategy = STRATEGIES.includes(way);
  const before = (way === 'select' && posted.get(SELECTED)) || posted.get(KIND) || 'grid';
  const kind = isStrategy ? before : way;
  const fields = new Map([
    ...carried,
    ...nonEmpty(posted),
    // a goal that a person changed for the former way is newer than the one that this way had
    ...[...carried].filter(([field]) => GOAL.test(field)),
    [STRATEGY, isStrategy ? way : ''],
    [KIND, WITHOUT_DESIGN.includes(way) ? '' : kind],
  ]);
  if (posted.get(STRATEGY) === 'select') fields.set(SELECTED, posted.get(KIND) ?? '');
  for (const [field, was] of REFUSABLE) {
    fields.set(field, fields.get(field) || fields.get(was) || '');
    fields.delete(was);
  }
  const refuse = (field: string): void =>
    void fields.set(REFUSABLE.get(field)!, fields.get(field)!).set(field, '');
  const { seed, fresh, replications } = valueIn(shape, fields) as Record<string, unknown>;
  if (GOAL_OF_ITS_OWN.includes(way)) for (const [field] of fieldsAt(fields, 'goal')) fields.delete(field);
  const { shape: choice } = shape.settings.find(({ key }) => key === 'replications')!;
  const offered = choice?.is === 'choice' ? choice.of.map(({ name }) => name) : [];
  const isPrecise = offered[Number(fields.get(REPLICATIONS) || NaN)] === 'Precise';
  const refuses = new Map([
    ['search', isPrecise],
    ['select', isMapping(replications) || replications === 1],
    ['calibrate', true],
  ]);
  const isRefused = refuses.get(way) ?? (isMapping(replications) && !isPrecise);
  if (isRefused) refuse(REPLICATIONS);
  if (way === 'calibrate') {
    refuse(COMMON);
    // each run needs its own seed
    if (seed === undefined && fresh !== true) fields.set('seed', '1').set(ADDED_SEED, '1');
  } else if (fields.delete(ADDED_SEED) && seed === 1) fields.delete('seed');
  return fields;
}

/**
 * Brings the fields and the text of a form together. If a person changed both, both changes hold, and a setting that
 * they changed in both has the value of its field.
 *
 * @param way - the way that the person chose; undefined if it is unchanged. Values of inputs pass on to it.
 * @throws ForayError DEFINITION_SYNTAX if the text is not YAML
 */
export function together(
  model: FormModel,
  { text, was, fields, observations }: PostedForm,
  way?: string,
): Form {
  const shape = formShape(model);
  // most of the texts are equal, and a large one takes a while
  const known = new Map<string, ReadYaml>();
  const read = (one: string): ReadYaml => {
    const found = known.get(one) ?? readText(one, 'definition');
    known.set(one, found);
    return found;
  };
  const former = read(was).plain;
  const before = shownBefore(model, shape, former, fields);
  const isFirst = fields.size === 0;
  let posted = isFirst ? fieldsOf(shape, read(text).plain).fields : renamed(fields, former);
  const isOther = way !== undefined && way !== wayOf(posted);
  if (isOther) {
    const carried = fieldsOf(shape, passedOn(shape, valueIn(shape, posted), way)).fields;
    posted = withWay(shape, posted, carried, way);
  }
  if (observations !== undefined) {
    const observed = observationsIn(
      observations,
      model.outputs.map(({ name }) => name),
    );
    const { fields: fresh } = fieldsOf(shape, { calibrate: { abc: { observed } } });
    posted = new Map([...[...posted].filter(([field]) => !isAt(field, OBSERVED)), ...fresh]);
  }
  const after = valueIn(shape, posted);
  const isSame = (isFirst && way === undefined) || isEqual(before, after);
  const changed = isSame ? text : withChange(text, read(text).document, before, after, isOther);
  const { fields: shown, notShown } = fieldsOf(shape, read(changed).plain);
  const all = new Map(merged(shape, posted, shown));
  return { text: changed, was: changed, fields: all, notShown, model: shown.get('model/name') ?? '' };
}

/**
 * What the fields showed of the former text. If a person has chosen another model, this includes the inputs and outputs
 * of the former model, so that they go out of the text. Their fields stay, and come back with that model.
 */
function shownBefore(model: FormModel, shape: GroupShape, former: unknown, posted: Fields): unknown {
  const { fields, notShown } = fieldsOf(shape, former);
  const before = valueIn(shape, fields);
  const name = modelIn(former);
  if (model.name === '' || name === undefined || name === model.name) return before;
  const strange = new Set(notShown.map(nameKey));
  return [...posted.keys()].reduce((all: unknown, field) => {
    const path = pathOfField(field);
    const end = path.findIndex((_, at) => strange.has(nameKey(path.slice(0, at + 1).join('.'))));
    return end === -1 ? all : withNull(all, path.slice(0, end + 1));
  }, before);
}

/** A mapping with the value null at a path. */
function withNull(mapping: unknown, [key = '', ...rest]: readonly string[]): unknown {
  const own = asMapping(mapping);
  const inner = rest.length === 0 ? null : withNull(Object.hasOwn(own, key) ? own[key] : undefined, rest);
  return Object.fromEntries([...Object.entries(own), [key, inner]]);
}

/** The name of the model in a definition. */
function modelIn(plain: unknown): string | undefined {
  const { model } = asMapping(plain);
  const { name } = asMapping(model);
  return typeof name === 'string' ? name : undefined;
}

/** The fields, with a name of the campaign that follows the model if it was made from the former model. */
function renamed(fields: Fields, was: unknown): Fields {
  const former = modelIn(was);
  const model = fields.get('model/name');
  if (former === undefined || !model || fields.get('campaign') !== campaignName(former)) return fields;
  return new Map([...fields, ['campaign', campaignName(model)]]);
}

function nonEmpty(fields: Fields): [string, string][] {
  return [...fields].filter(([, text]) => text.trim() !== '');
}

/**
 * The fields of the form. What a person has typed and chosen stays as long as the text says the same: a number such as
 * "1." is not finished yet, and a shape without a value is not in the text. Otherwise the text counts. The fields of shapes
 * and settings that are not in use stay, too, and come back when a person chooses them again.
 */
function* merged(
  shape: Shape | undefined,
  posted: Fields,
  shown: Fields,
  name = '',
): Generator<[string, string]> {
  if (shape === undefined) return;
  const typed = valueIn(shape, posted, name);
  if (isEqual(typed, valueIn(shape, shown, name))) return yield* fieldsAt(posted, name);
  if (shape.is === 'choice') {
    const used = shown.get(chosenIn(name));
    if (used !== undefined) yield [chosenIn(name), used];
    for (const [at, { shape: inner }] of shape.of.entries()) {
      if (String(at) === used) yield* merged(inner, posted, shown, shapeAt(name, at));
      else yield* fieldsAt(posted, shapeAt(name, at));
    }
  } else if (shape.is === 'group') {
    const used = new Set<string>();
    for (const keys of shape.choices) {
      const chosen = posted.get(chosenIn(name, keys));
      // a choice with a value that the text does not have was removed from the text
      const isWaiting = chosen !== undefined && !Object.hasOwn(asMapping(typed), chosen);
      const key = shown.get(chosenIn(name, keys)) ?? (isWaiting ? chosen : undefined);
      if (key === undefined) continue;
      used.add(key);
      yield [chosenIn(name, keys), key];
    }
    for (const { key, shape: inner } of shape.settings) {
      const isUsed = used.has(key) || !shape.choices.some((keys) => keys.includes(key));
      if (isUsed) yield* merged(inner, posted, shown, within(name, key));
      else yield* fieldsAt(posted, within(name, key));
    }
    // another model has these names, or the service does not answer
    const known = new Set(shape.settings.map(({ key }) => within(name, key)));
    for (const field of shape.by ? fieldsAt(posted, name) : [])
      if (!known.has(`${name}${/^[/][^/:?]*/.exec(field[0].slice(name.length))?.[0] ?? ''}`)) yield field;
  } else {
    const text = shown.get(name);
    if (text !== undefined) yield [name, text];
  }
}

function fieldsAt(posted: Fields, name: string): [string, string][] {
  return [...posted].filter(([field, text]) => text !== '' && (name === '' || isAt(field, name)));
}

/** The values of inputs and the goal of a definition, in the notation of another way. */
function passedOn(shape: GroupShape, value: unknown, way: string): unknown {
  const old = (value ?? {}) as Written;
  const design = Object.values(old.design ?? {}).find((one) => typeof one === 'object') ?? {};
  const inputs = old.search?.over ?? old.calibrate?.abc?.priors ?? design.inputs ?? design;
  const sought = old.search ?? old.select ?? old.goal ?? {};
  const goal = Object.fromEntries(
    Object.entries(sought).filter(([key]) => key === 'minimize' || key === 'maximize'),
  );
  const place = (given: unknown): object => {
    if (way === 'search') return { search: { over: given, ...goal } };
    if (way === 'calibrate') return { calibrate: { abc: { priors: given } } };
    if (way === 'select') return { select: goal };
    return { design: { [way]: given }, ...((old.search ?? old.select) ? { goal } : {}) };
  };
  const fits = (one: unknown): boolean => fieldsOf(shape, one).notShown.length === 0;
  const both = (given: unknown): object[] => [place({ inputs: given }), place(given)];
  const kept = Object.entries(inputs).flatMap(([name, given]): [string, unknown][] => {
    const { from, to, min, max } = given as Record<string, unknown>;
    const forms: unknown[] = [given, { min: from, max: to }, { from: min, to: max, count: 5 }];
    const found = forms.find((form) => both({ [name]: form }).some(fits));
    return found === undefined ? [] : [[name, found]];
  });
  return both(Object.fromEntries(kept)).find(fits);
}

interface Written {
  design?: Record<string, { inputs?: unknown }>;
  search?: { over?: unknown };
  select?: object;
  goal?: object;
  calibrate?: { abc?: { priors?: unknown } };
}

/**
 * The text of a definition after a change of some settings.
 *
 * @param isOther - whether the way is another one. What no field shows of the former way then goes, too: a definition has
 *   one way.
 */
function withChange(
  text: string,
  document: Document,
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
      const [was, is] = [from, to].map((all) => (Object.hasOwn(all, key) ? all[key] : undefined));
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

/** How a text is written: the blanks in brackets and at the begin of lines. */
function styleOf(text: string): { flowCollectionPadding: boolean; indent: number } {
  return {
    flowCollectionPadding: !/^[^#\n]*[:,[{-] *[{[][^\s{}[\]]/m.test(text),
    indent: /^[^#\s][^#\n]*:[^\S\n]*\n( +)[^\s#-]/m.exec(text)?.[1]!.length ?? 2,
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

/** Gives a setting a new value. Its comments stay, also those of the items of a list that stay. */
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
  /** Items that may be equal. Otherwise each item of a long list would be compared with all others. */
  const alike = new Map<string, Node[]>();
  const textOf = (value: unknown): string =>
    JSON.stringify(isMapping(value) ? Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)) : value);
  for (const item of old.items.toReversed()) {
    const text = textOf(valueOf(item));
    const known = alike.get(text);
    if (known) known.push(item);
    else alike.set(text, [item]);
  }
  const rest = new Set(old.items);
  const staying = fresh.items.map((item) => {
    const value = valueOf(item);
    const known = alike.get(textOf(value));
    const same = known?.at(-1);
    if (same === undefined || !isEqual(valueOf(same), value)) return undefined;
    known!.pop();
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

/** A value as YAML: lists and small mappings are on one line. */
function nodeOf(document: Document, value: unknown): Node {
  const node = document.createNode(value);
  const flow = (one: unknown): boolean => {
    if (!(one instanceof YAMLMap) && !(one instanceof YAMLSeq)) return true;
    const items = one.items.map((part) => (isNode(part) ? part : (part as { value: unknown }).value));
    one.flow = items.every(flow) && items.every((part) => !(part instanceof YAMLMap));
    return one.flow;
  };
  flow(node);
  return node;
}

function asMapping(value: unknown): Record<string, unknown> {
  return isMapping(value) ? value : {};
}
