import { isNumericType } from '../../api/index.ts';
import type { Campaign } from '../../campaign/types.ts';
import { html, type Markup } from '../../report/html/markup.ts';
import type { InputFilter, View } from '../live/look.ts';
import { option } from './form-parts.ts';

/** The start of a parameter for an input: `in:INPUT=1.2..1.8` or `in:INPUT=1, 2, 3`. `show=OUTPUT` is for an output. */
const INPUT = 'in:';

/** The parameters for the axes of the pictures of the design, with the labels of their fields. */
const AXES = [
  ['x', 'Across'],
  ['y', 'Up'],
  ['by', 'A picture for each value of'],
] as const;

const OF_VIEW: ReadonlySet<string> = new Set(['show', ...AXES.map(([axis]) => axis)]);

/** Reads the view in an address. */
export function viewOf(url: string): View {
  const query = viewQuery(url);
  return {
    address: queryText(query),
    show: query.getAll('show'),
    inputs: filterFields(query),
    axes: Object.fromEntries(AXES.flatMap(([axis]) => (query.has(axis) ? [[axis, query.get(axis)!]] : []))),
  };
}

/** The parameters of an address that belong to the view. The pages of a campaign keep them. */
export function viewQuery(url: string): URLSearchParams {
  const query = [...new URL(url, 'http://any').searchParams];
  return new URLSearchParams(
    query.filter(([name, value]) => (OF_VIEW.has(name) || name.startsWith(INPUT)) && value.trim() !== ''),
  );
}

/** The filters of a view. */
export function filterFields(view: URLSearchParams): InputFilter[] {
  return [...view]
    .filter(([name]) => name.startsWith(INPUT))
    .map(([name, text]) => ({ name: name.slice(INPUT.length), text }));
}

/** The parameters of a view without its filters. */
export function otherFields(view: URLSearchParams): [name: string, value: string][] {
  return [...view].filter(([name]) => !name.startsWith(INPUT));
}

/** The end of an address: "?" and the query; empty without parameters. */
export function queryText(query: URLSearchParams): string {
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/** A field for each axis of the pictures of the design; none if a picture has no choice of inputs. */
export function axisFields({ varied }: Pick<Campaign, 'varied'>, view: URLSearchParams): Markup {
  if (varied.length < 2) return html``;
  const shown = varied.length === 2 ? AXES.slice(0, 2) : AXES;
  return html`${shown.map(
    ([axis, label]) =>
      html`<label
        >${label}
        <select name="${axis}">
          <option value="">as in the report</option>
          ${varied.map(({ name }) => option(name, name, view.get(axis) ?? ''))}
        </select></label
      >`,
  )}`;
}

/** A field for the filter of each input that varies. */
export function inputFields({ varied }: Pick<Campaign, 'varied'>, view: URLSearchParams): Markup {
  return html`${varied.map(
    ({ name, type }) =>
      html`<label
        >${name}
        <input
          name="${INPUT}${name}"
          value="${view.get(`${INPUT}${name}`) ?? ''}"
          placeholder="${isNumericType(type) ? '1..2, or values: 1, 2' : 'values: A, "B, C"'}"
      /></label>`,
  )}`;
}
