import { nameKey } from '../../api/index.ts';
import { campaignName } from '../definition.ts';
import { isForSensitivity, kinds, kindTitles } from '../designs/index.ts';
import { readText } from '../read.ts';
import type { ReadYaml } from '../../yaml/yaml.ts';
import { withChange } from './change-text.ts';
import {
  asMapping,
  chosenIn,
  chosenShape,
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

export const WITHOUT_DESIGN = ['search', 'calibrate'];

/** The strategies that have a goal, and refuse another one. */
export const GOAL_OF_ITS_OWN = ['search', 'select'];

/** Not a part of a definition: says that the form has added the seed, and not a person. */
const ADDED_SEED = chosenIn('seed');
const REPLICATIONS = chosenIn('replications');
const COMMON = 'commonRandomNumbers';
/** The settings that some ways refuse, each with a field outside of the definition that keeps its value meanwhile. */
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
  const selected = way === 'select' ? posted.get(SELECTED) : undefined;
  const kind = isStrategy ? selected || posted.get(KIND) || 'grid' : way;
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
  const refuse = (field: string): void => {
    fields.set(REFUSABLE.get(field)!, fields.get(field)!);
    fields.set(field, '');
  };
  const { seed, fresh, replications } = valueIn(shape, fields) as Record<string, unknown>;
  if (GOAL_OF_ITS_OWN.includes(way)) for (const [field] of fieldsAt(fields, 'goal')) fields.delete(field);
  const { shape: choice } = shape.settings.find(({ key }) => key === 'replications')!;
  const chosen = choice?.is === 'choice' ? choice.of[chosenShape(fields, 'replications')] : undefined;
  const isPrecise = chosen?.name === 'Precise';
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
  // the texts are mostly equal, and reading a large one takes a while
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
    const outputs = model.outputs.map(({ name }) => name);
    const observed = observationsIn(observations, outputs);
    const { fields: fresh } = fieldsOf(shape, { calibrate: { abc: { observed } } });
    posted = new Map([...[...posted].filter(([field]) => !isAt(field, OBSERVED)), ...fresh]);
  }
  const after = valueIn(shape, posted);
  const isSame = (isFirst && way === undefined) || isEqual(before, after);
  const changed = isSame ? text : withChange({ text, document: read(text).document }, before, after, isOther);
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
  const unknown = new Set(notShown.map(nameKey));
  return [...posted.keys()].reduce((value: unknown, field) => {
    const path = pathOfField(field);
    const end = path.findIndex((_, at) => unknown.has(nameKey(path.slice(0, at + 1).join('.'))));
    return end === -1 ? value : withNull(value, path.slice(0, end + 1));
  }, before);
}

/** A mapping with the value null at a path. */
function withNull(mapping: unknown, [key = '', ...rest]: readonly string[]): unknown {
  const given = asMapping(mapping);
  const inner = rest.length === 0 ? null : withNull(Object.hasOwn(given, key) ? given[key] : undefined, rest);
  return Object.fromEntries([...Object.entries(given), [key, inner]]);
}

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
    const known = shape.settings.map(({ key }) => within(name, key));
    for (const [field, text] of shape.by ? fieldsAt(posted, name) : [])
      if (!known.some((setting) => isAt(field, setting))) yield [field, text];
  } else {
    const text = shown.get(name);
    if (text !== undefined) yield [name, text];
  }
}

/** The fields of a setting that are filled in, with those of all settings in it. */
function fieldsAt(posted: Fields, name: string): [string, string][] {
  return [...posted].filter(([field, text]) => text !== '' && (name === '' || isAt(field, name)));
}

/** The values of inputs and the goal of a definition, in the notation of another way. */
function passedOn(shape: GroupShape, value: unknown, way: string): unknown {
  const old = (value ?? {}) as Written;
  const design = Object.values(old.design ?? {}).find((one) => typeof one === 'object') ?? {};
  // some kinds of design have their inputs under "inputs", and others have nothing else
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
  const showsAll = (one: unknown): boolean => fieldsOf(shape, one).notShown.length === 0;
  const placements = (given: unknown): object[] => [place({ inputs: given }), place(given)];
  const kept = Object.entries(inputs).flatMap(([name, given]): [string, unknown][] => {
    const { from, to, min, max } = given as Record<string, unknown>;
    // as it is, as bounds, or as a range
    const notations: unknown[] = [given, { min: from, max: to }, { from: min, to: max, count: VALUES }];
    const found = notations.find((notation) => placements({ [name]: notation }).some(showsAll));
    return found === undefined ? [] : [[name, found]];
  });
  return placements(Object.fromEntries(kept)).find(showsAll);
}

/** The number of values of a range that is made from bounds. */
const VALUES = 5;

interface Written {
  design?: Record<string, { inputs?: unknown }>;
  search?: { over?: unknown };
  select?: object;
  goal?: object;
  calibrate?: { abc?: { priors?: unknown } };
}
