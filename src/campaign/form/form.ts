import type { Document } from 'yaml';
import { isMap, isNode, isScalar, isSeq, type Node, Scalar, visit, YAMLMap, YAMLSeq } from 'yaml';
import { nameKey } from '../../api/index.ts';
import { campaignName } from '../definition.ts';
import { isForSensitivity, kinds, kindTitles } from '../designs/index.ts';
import { readText } from '../read.ts';
import { chosenIn, type Fields, fieldsOf, isEqual, shapeAt, valueIn, within } from './fields.ts';
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

/** The strategies that need no design. */
const WITHOUT_DESIGN = ['search', 'calibrate'];

function withWay(fields: Fields, way: string): Fields {
  const isStrategy = STRATEGIES.includes(way);
  const kind = isStrategy ? fields.get(KIND) || 'grid' : way;
  return new Map([
    ...fields,
    [STRATEGY, isStrategy ? way : ''],
    [KIND, WITHOUT_DESIGN.includes(way) ? '' : kind],
    // each run of a calibration needs its own seed
    ...(way === 'calibrate' && !fields.get('seed') ? [['seed', '1'] as const] : []),
  ]);
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
  const before = valueIn(shape, fieldsOf(shape, plainOf(was)).fields);
  const isFirst = fields.size === 0;
  let posted = isFirst ? fieldsOf(shape, plainOf(text)).fields : renamed(fields, plainOf(was));
  if (way !== undefined && way !== wayOf(posted)) {
    const carried = fieldsOf(shape, passedOn(shape, valueIn(shape, posted), way)).fields;
    posted = withWay(new Map([...carried, ...nonEmpty(posted)]), way);
  }
  if (observations !== undefined) {
    const observed = observationsIn(
      observations,
      model.outputs.map(({ name }) => name),
    );
    const { fields: read } = fieldsOf(shape, { calibrate: { abc: { observed } } });
    posted = new Map([...posted, ...read]);
  }
  const changed = isFirst && way === undefined ? text : withChange(text, before, valueIn(shape, posted));
  const { fields: shown, notShown } = fieldsOf(shape, plainOf(changed));
  const all = new Map([...unused(shape, posted, shown), ...shown]);
  return { text: changed, was: changed, fields: all, notShown, model: shown.get('model/name') ?? '' };
}

/** The fields, with a name of the campaign that follows the model if it was made from the former model. */
function renamed(fields: Fields, was: unknown): Fields {
  const former = (was as { model?: { name?: unknown } } | null)?.model?.name;
  const model = fields.get('model/name');
  if (typeof former !== 'string' || !model || fields.get('campaign') !== campaignName(former)) return fields;
  return new Map([...fields, ['campaign', campaignName(model)]]);
}

/** @throws ForayError DEFINITION_SYNTAX */
function plainOf(text: string): unknown {
  return readText(text, 'definition').plain;
}

function nonEmpty(fields: Fields): [string, string][] {
  return [...fields].filter(([, text]) => text.trim() !== '');
}

/** The fields that the text does not say: of shapes and settings that are not in use, which come back when a person chooses them again. */
function* unused(
  shape: Shape | undefined,
  posted: Fields,
  shown: Fields,
  name = '',
): Generator<[string, string]> {
  if (shape?.is === 'choice') {
    const used = shown.get(chosenIn(name));
    const chosen = posted.get(chosenIn(name));
    // a shape that a person has just chosen has no fields yet, so the text cannot say it
    if (!used && chosen && fieldsAt(posted, shapeAt(name, Number(chosen))).length === 0)
      yield [chosenIn(name), chosen];
    for (const [at, { shape: inner }] of shape.of.entries()) {
      if (String(at) === used) yield* unused(inner, posted, shown, shapeAt(name, at));
      else yield* fieldsAt(posted, shapeAt(name, at));
    }
  }
  if (shape?.is !== 'group') return;
  // the names of inputs and outputs are unknown while the service does not answer
  if (shape.by && shape.settings.length === 0) yield* fieldsAt(posted, name);
  for (const { key, shape: inner } of shape.settings) {
    const choice = shape.choices.find((keys) => keys.includes(key));
    const isUsed = !choice || shown.get(chosenIn(name, choice)) === key;
    if (isUsed) yield* unused(inner, posted, shown, within(name, key));
    else yield* fieldsAt(posted, within(name, key));
  }
}

function fieldsAt(posted: Fields, name: string): [string, string][] {
  return [...posted].filter(
    ([field, text]) => text !== '' && field.startsWith(name) && /^$|^[/:?]/.test(field.slice(name.length)),
  );
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

/** The text of a definition after a change of some settings. */
function withChange(text: string, before: unknown, after: unknown): string {
  if (isEqual(before, after)) return text;
  const { document } = readText(text, 'definition');
  writeOut(document);
  const root = isMap(document.contents) ? document.contents : new YAMLMap();
  change(root, before, after);
  document.contents = root as typeof document.contents;
  return document.toString({ lineWidth: 0 });

  function change(map: YAMLMap, old: unknown, fresh: unknown): void {
    const [from, to] = [asMapping(old), asMapping(fresh)];
    for (const key of new Set([...Object.keys(from), ...Object.keys(to)])) {
      if (isEqual(from[key], to[key])) continue;
      const name = nameIn(map, key);
      const [was, is] = [from[key], to[key]];
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
function replace(map: YAMLMap, name: string, fresh: unknown): void {
  const old = map.get(name, true) as Node | undefined;
  if (old && isNode(fresh)) {
    fresh.comment = old.comment;
    fresh.commentBefore = old.commentBefore;
    if (isSeq(old) && isSeq(fresh)) {
      const rest = [...old.items];
      fresh.items = fresh.items.map((item) => {
        const at = rest.findIndex((one) => isScalar(one) && isScalar(item) && one.value === item.value);
        return at === -1 ? item : rest.splice(at, 1)[0];
      });
      fresh.flow = old.flow;
    }
  }
  map.set(name, fresh);
}

/** The name of a setting as the text has it. Names of inputs may be in another case. */
function nameIn(map: YAMLMap, key: string): string {
  const names = map.items.map(({ key: node }) => String(node instanceof Scalar ? node.value : node));
  return names.find((name) => name === key) ?? names.find((name) => nameKey(name) === nameKey(key)) ?? key;
}

/** A value as YAML: lists and small mappings are on one line. */
function nodeOf(document: Document, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
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

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asMapping(value: unknown): Record<string, unknown> {
  return isMapping(value) ? value : {};
}
