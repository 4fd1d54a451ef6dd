import type { GroupShape, Setting, Shape, ValueShape } from '../../campaign/form/shape.ts';
import type { ForayError } from '../../errors.ts';
import { html, type Markup } from '../../report/html/markup.ts';
import { capitalized } from '../../text/printable.ts';

/** The small parts of the form: its words, ids and controls, and where its mistakes stand. */

/**
 * The maximum length of a definition on a page, and of the fields of a form together, in characters. The thread that
 * answers all requests escapes them for the page, so more characters would delay other answers.
 */
export const MOST_ON_PAGE = 200_000;
/** The maximum size of the uploaded files of a form together, in bytes. */
export const MOST_FILES = 8 * 1024 ** 2;
/** The start of the name of a control that uploads the file for a field. */
export const UPLOAD = 'upload/';

/**
 * Words for the names of alternatives. A name with a capital letter is the id of a schema, and each other name is from
 * `nameOf` of shape.ts. A name that is not in the list is shown as it is.
 */
export const shapeWords: Readonly<Record<string, string>> = {
  value: 'one value',
  list: 'values',
  table: 'written here',
  boolean: 'yes or no',
  input: 'each with a low and a high value',
  Range: 'range',
  Bounds: 'between two values',
  Precise: 'until precise',
  Raced: 'least and most',
  Growing: 'until narrow enough',
  ObservedCurve: 'curve',
  Outputs: 'with their files',
};

export function wordsOf({ message, hint }: ForayError): string {
  return [message, hint].filter(Boolean).join(' ');
}

/** Whether a setting has values for inputs that vary. `derive` also has an entry per input, but its inputs follow others. */
export function isVaried({ key, shape }: Setting): boolean {
  return shape?.is === 'group' && shape.by === 'input' && key !== 'derive';
}

/** The setting at a path in the shape of a definition. */
export function settingAt(whole: GroupShape, path: readonly string[]): Setting {
  let setting: Setting | undefined;
  let shape: Shape | undefined = whole;
  for (const key of path) {
    setting = shape?.is === 'group' ? shape.settings.find((one) => one.key === key) : undefined;
    shape = setting?.shape;
  }
  return setting!;
}

/** The outputs that a value may name; none if it names no output. */
export function outputsFor(whole: GroupShape, { title }: ValueShape): string[] {
  if (title !== 'output' && title !== 'measure') return [];
  // the shape of such a setting has an entry for each output
  const paths = { output: ['calibrate', 'abc', 'observed'], measure: ['search', 'require'] };
  const { shape } = settingAt(whole, paths[title]);
  return shape?.is === 'group' ? shape.settings.map(({ key }) => key) : [];
}

/** The path of the setting at a place; empty if no setting is there. */
export function settingIn(place: ForayError['place']): readonly string[] {
  return place && 'setting' in place ? (place.setting ?? []) : [];
}

/** Whether a setting is at a path or below it. */
export function isWithin(setting: readonly string[], path: readonly string[]): boolean {
  return (
    setting.length > 0 && path.every((key, at) => setting[at]?.trim().toLowerCase() === key.toLowerCase())
  );
}

/**
 * A choice of a list. It has its value as an attribute even if the text is the same, because a browser changes the blanks
 * of a text.
 *
 * @param shapeAt - the number of the shape that the choice stands for
 */
export function option(value: string, text: string, chosen: string, shapeAt?: number): Markup {
  const shape = shapeAt === undefined ? '' : html`data-shape="${shapeAt}"`;
  const selected = value === chosen ? html`selected` : '';
  return html`<option value="${value}" ${shape} ${selected}>${text}</option>`;
}

/** Whether all of `some` are in `all`, in the same order. */
export function isOrdered(some: readonly string[], all: readonly string[]): boolean {
  const inOrder = all.filter((one) => some.includes(one));
  return inOrder.length === some.length && inOrder.every((one, at) => one === some[at]);
}

/** A control that sends the content of a file. The server then fills in the name of the file. */
export function uploadFor(name: string, label = 'Upload'): Markup {
  return html`<label>${label} <input type="file" name="${UPLOAD}${name}" data-most="${MOST_FILES}" /></label
    ><small class="bad wrong"></small>`;
}

/** The id of the control for a field. An id has no blanks. */
export function idOf(name: string): string {
  return `f-${encodeURIComponent(name)}`;
}

/** The key of a setting as words: "commonRandomNumbers" is "Common random numbers". */
export function labelOf(key: string): string {
  return capitalized(key.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
}

export function defaultText(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([key, one]) => `${key} ${String(one)}`)
    .join(', ');
}
