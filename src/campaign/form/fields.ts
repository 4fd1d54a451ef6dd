import { nameKey } from '../../api/index.ts';
import { listItems } from '../../text/list-items.ts';
import type { Alternative, GroupShape, Setting, Shape, ValueShape } from './shape.ts';

/**
 * The texts of the fields of a form, by their names. The name of a field is the path of its setting in the definition,
 * such as `design/lhs/points`. `:2` in a name stands for the third shape of a choice, and the field `NAME?` says which
 * shape is in use. The field `NAME?a|b` says which of the settings a and b of a group is in use.
 */
export type Fields = ReadonlyMap<string, string>;

/** The name of the field for a setting of a group. */
export function within(name: string, key: string): string {
  const escaped = key.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll(':', '~2').replaceAll('?', '~3');
  return name === '' ? escaped : `${name}/${escaped}`;
}

/** The name of the fields for one shape of a choice. */
export function shapeAt(name: string, at: number): string {
  return `${name}:${at}`;
}

/** The name of the field that says which shape, or which setting of a group, is in use. */
export function chosenIn(name: string, keys: readonly string[] = []): string {
  return `${name}?${keys.join('|')}`;
}

/** The index of the shape of a choice that is in use; NaN if none is. */
export function chosenShape(fields: Fields, name: string): number {
  return Number(fields.get(chosenIn(name)) || NaN);
}

/** Whether a field belongs to a setting or to something in it, by their names. */
export function isAt(field: string, name: string): boolean {
  return field.startsWith(name) && /^$|^[/:?]/.test(field.slice(name.length));
}

/** The path of names in a definition to which a field leads. */
export function pathOfField(name: string): string[] {
  return name
    .replaceAll(/:\d+(?=\/|\?|$)/g, '')
    .replace(/\?.*$/, '')
    .split('/')
    .map((key) =>
      key.replaceAll('~3', '?').replaceAll('~2', ':').replaceAll('~1', '/').replaceAll('~0', '~'),
    );
}

/** The part of a definition that the fields give; undefined if they are empty. */
export function valueIn(shape: Shape, fields: Fields, name = ''): unknown {
  const text = fields.get(name) ?? '';
  switch (shape.is) {
    case 'value':
      return text.trim() === '' ? undefined : parsed(shape, text);
    case 'list': {
      // an empty item is in quotes
      const items = listItems(text).filter((item) => item !== '' || text.includes('""'));
      return items.length === 0 ? undefined : items.map((item) => parsed(shape.of, item));
    }
    case 'table':
      return tableIn(shape.cells, text);
    case 'group':
      return groupIn(shape, fields, name);
    case 'choice': {
      const at = chosenShape(fields, name);
      const chosen = shape.of[at];
      return chosen && valueOfChosen(chosen.shape, fields, shapeAt(name, at));
    }
  }
}

/**
 * The value of a chosen shape. Settings without a field that is filled in are empty, and not missing: the campaign would
 * do something else than what a person has chosen, and nobody would say so.
 */
function valueOfChosen(shape: Shape, fields: Fields, name: string): unknown {
  return valueIn(shape, fields, name) ?? (shape.is === 'group' ? neededIn(shape) : undefined);
}

function groupIn(shape: GroupShape, fields: Fields, name: string): unknown {
  const entries = shape.settings.flatMap(({ key, shape: inner }): [string, unknown][] => {
    const isUsed = shape.choices.every(
      (keys) => !keys.includes(key) || fields.get(chosenIn(name, keys)) === key,
    );
    const value = isUsed && inner ? valueIn(inner, fields, within(name, key)) : undefined;
    if (value !== undefined) return [[key, value]];
    // a chosen part without a field that is filled in is empty, and not missing
    const isChosen = isUsed && shape.choices.some((keys) => keys.includes(key));
    if (isChosen && inner?.is === 'group') return [[key, {}]];
    if (isChosen && inner?.is === 'choice') return [[key, null]];
    return [];
  });
  if (entries.length === 0) return undefined;
  return { ...neededIn(shape), ...Object.fromEntries(entries) };
}

/** The constants that a group always has. */
function neededIn({ constants }: GroupShape): Record<string, unknown> {
  return Object.fromEntries(
    [...constants].flatMap(([key, { value, isNeeded }]) => (isNeeded ? [[key, value] as const] : [])),
  );
}

/** A field with CSV as a list of mappings: the first line has the names. Spreadsheets copy cells with tabs between them. */
function tableIn(cells: ReadonlyMap<string, ValueShape>, text: string): unknown {
  const [heads = '', ...lines] = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (lines.length === 0) return undefined;
  // a cell of a spreadsheet may have commas
  const cellsOf = (line: string): string[] =>
    heads.includes('\t') ? line.split('\t').map((cell) => cell.trim()) : listItems(line);
  const names = cellsOf(heads);
  const keys = names.map(nameKey);
  return lines.map((line) =>
    Object.fromEntries(
      cellsOf(line).map((item, at) => {
        const name = names[at] ?? '';
        const isFirst = name !== '' && keys.indexOf(nameKey(name)) === at;
        const shape = [...cells].find(([key]) => nameKey(key) === nameKey(name))?.[1];
        // no input has such a name, so the check of the definition refuses the column
        const key = isFirst ? name : `${name} (column ${at + 1})`.trim();
        return [key, parsed(shape ?? ANY, item)];
      }),
    ),
  );
}

/** Parses a text. A text that is no such value stays a text, which the check of the definition refuses. */
function parsed({ type }: ValueShape, text: string): unknown {
  if (type === 'text') return text;
  const trimmed = text.trim();
  if (type === 'boolean') return ['true', 'false'].includes(trimmed) ? trimmed === 'true' : trimmed;
  const number = Number(trimmed);
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(trimmed) || !Number.isFinite(number)) return trimmed;
  // a number would round a large LONG
  const isRounded = Number.isInteger(number) && !Number.isSafeInteger(number) && String(number) !== trimmed;
  return isRounded && /^[-+]?\d+$/.test(trimmed) ? trimmed : number;
}

const ANY: ValueShape = { is: 'value', type: 'any' };

/** What a form shows of a definition. */
export interface Shown {
  fields: Map<string, string>;
  /** The settings that the form does not show, such as `design.derive`. */
  notShown: string[];
}

/** Fills in the fields for a definition. */
export function fieldsOf(shape: Shape, plain: unknown): Shown {
  const shown: Shown = { fields: new Map(), notShown: [] };
  fill(shape, plain, '', [], shown);
  return shown;
}

function fill(shape: Shape, plain: unknown, name: string, path: readonly string[], shown: Shown): void {
  if (plain === undefined || plain === null) return;
  const text = textOf(shape, plain);
  if (text !== undefined) shown.fields.set(name, text);
  else if (shape.is === 'group' && isMapping(plain)) fillGroup(shape, plain, name, path, shown);
  else if (shape.is === 'choice') fillChoice(shape.of, plain, name, path, shown);
  else shown.notShown.push(path.join('.'));
}

function fillGroup(
  { by, settings, choices, constants }: GroupShape,
  plain: Record<string, unknown>,
  name: string,
  path: readonly string[],
  shown: Shown,
): void {
  for (const keys of choices) {
    const used = keys.find((key) => plain[key] !== undefined);
    if (used !== undefined && settingOf(settings, used)?.shape) shown.fields.set(chosenIn(name, keys), used);
  }
  for (const [key, value] of Object.entries(plain)) {
    if (constants.get(key)?.value === value) continue;
    const setting = settingOf(settings, key, by !== undefined);
    const isSecond = choices.some(
      (keys) => keys.includes(key) && shown.fields.get(chosenIn(name, keys)) !== key,
    );
    if (!setting?.shape || isSecond) shown.notShown.push([...path, key].join('.'));
    else fill(setting.shape, value, within(name, setting.key), [...path, key], shown);
  }
}

/** Fills in the first shape that shows all of a value, and rather one whose required settings the value has. */
function fillChoice(
  of: readonly Alternative[],
  plain: unknown,
  name: string,
  path: readonly string[],
  shown: Shown,
): void {
  const found = of.flatMap(({ shape }, at) => {
    const tried: Shown = { fields: new Map(), notShown: [] };
    fill(shape, plain, shapeAt(name, at), path, tried);
    const isSame =
      tried.notShown.length === 0 && isEqual(valueOfChosen(shape, tried.fields, shapeAt(name, at)), plain);
    return isSame ? [{ at, shape, fields: tried.fields }] : [];
  });
  const first = found.find(({ shape }) => hasRequired(shape, plain)) ?? found[0];
  if (!first) return void shown.notShown.push(path.join('.'));
  shown.fields.set(chosenIn(name), String(first.at));
  for (const [field, text] of first.fields) shown.fields.set(field, text);
}

function hasRequired(shape: Shape, plain: unknown): boolean {
  return (
    shape.is !== 'group' ||
    shape.settings.every(({ key, isRequired }) => !isRequired || Object.hasOwn(plain as object, key))
  );
}

function settingOf(settings: readonly Setting[], key: string, isName = false): Setting | undefined {
  return settings.find((one) => one.key === key || (isName && nameKey(one.key) === nameKey(key)));
}

/** The text of a field for a value; undefined if no field can show it. */
function textOf(shape: Shape, plain: unknown): string | undefined {
  if (shape.is === 'value') return scalarText(shape, plain);
  if (shape.is === 'list') return Array.isArray(plain) ? listText(plain, shape.of) : undefined;
  if (shape.is !== 'table' || !Array.isArray(plain) || plain.length === 0) return undefined;
  if (!plain.every(isMapping)) return undefined;
  const names = [...new Set(plain.flatMap(Object.keys))];
  // a line that a person has begun lacks its last cells
  const rows = plain.map((row) => names.slice(0, Object.keys(row).length).map((key) => row[key]));
  const lines = [names, ...rows].map((row) => listText(row, ANY));
  const text = lines.join('\n');
  const isShown = lines.every((line) => line !== undefined && line !== '');
  return isShown && isEqual(tableIn(shape.cells, text), plain) ? text : undefined;
}

function listText(items: readonly unknown[], of: ValueShape): string | undefined {
  const texts = items.map((item) => scalarText(of, item, true));
  return items.length === 0 || texts.includes(undefined)
    ? undefined
    : texts.map((text) => item(text!)).join(', ');
}

/** An item of a list, in quotes if it is empty, or has a comma, a quote, or a blank at an end. */
export function item(text: string): string {
  return text === '' || /[",]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function scalarText({ type }: ValueShape, plain: unknown, mayBeEmpty = false): string | undefined {
  if (!isScalar(plain)) return undefined;
  const text = String(plain);
  // a field has one line, and an empty one means nothing
  if (/[^\P{Cc}\t]/u.test(text) || (text.trim() === '' && !mayBeEmpty)) return undefined;
  const fits = type === 'any' || type === 'text' || typeof plain === type || typeof plain === 'string';
  return fits ? text : undefined;
}

function isScalar(plain: unknown): plain is string | number | boolean | bigint {
  return ['string', 'number', 'boolean', 'bigint'].includes(typeof plain);
}

export function isMapping(plain: unknown): plain is Record<string, unknown> {
  return typeof plain === 'object' && plain !== null && !Array.isArray(plain);
}

/** A value of YAML as a mapping: an empty one if it is something else. */
export function asMapping(value: unknown): Record<string, unknown> {
  return isMapping(value) ? value : {};
}

/** Whether two values of YAML are equal. The order of names does not matter. */
export function isEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((one, at) => isEqual(one, b[at]));
  if (!isMapping(a) || !isMapping(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isEqual(a[key], b[key]))
  );
}
