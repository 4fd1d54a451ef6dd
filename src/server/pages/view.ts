import { isNumericType } from '../../api/index.ts';
import type { Campaign } from '../../campaign/types.ts';
import { html, type Markup } from '../../report/html/markup.ts';
import type { InputFilter, View } from '../live/look.ts';
import { option } from './form-parts.ts';

/** The start of a parameter for an input: its filter in a view (`in:INPUT=1.2..1.8`), or its value for a single run. */
export const INPUT = 'in:';

/** The parameters for the axes of pictures: across, up, and the input whose values get a picture or curves each. */
const AXES = ['x', 'y', 'by'] as const;

/** The other parameters of a view. `show` is for an output. */
const OF_VIEW: ReadonlySet<string> = new Set(['show', ...AXES]);

export function viewOf(url: string): View {
  const query = viewQuery(url);
  return {
    address: queryText(query),
    show: query.getAll('show'),
    inputs: filtersIn(query),
    axes: Object.fromEntries(AXES.flatMap((axis) => (query.has(axis) ? [[axis, query.get(axis)!]] : []))),
  };
}

/** The parameters of an address that belong to the view. The pages of a campaign keep them. */
export function viewQuery(url: string): URLSearchParams {
  const query = [...new URL(url, 'http://any').searchParams];
  return new URLSearchParams(
    query.filter(([name, value]) => (OF_VIEW.has(name) || name.startsWith(INPUT)) && value.trim() !== ''),
  );
}

export function filtersIn(view: URLSearchParams): InputFilter[] {
  return [...view]
    .filter(([name]) => name.startsWith(INPUT))
    .map(([name, text]) => ({ name: name.slice(INPUT.length), text }));
}

/** The parameters of a view without its filters. */
export function otherParameters(view: URLSearchParams): [name: string, value: string][] {
  return [...view].filter(([name]) => !name.startsWith(INPUT));
}

/** The end of an address: "?" and the query; empty without parameters. */
export function queryText(query: URLSearchParams): string {
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/** A field for each axis of the pictures that has a choice of inputs. */
export function axisFields(
  { varied, outputs }: Pick<Campaign, 'varied' | 'outputs'>,
  view: URLSearchParams,
): Markup {
  const inputs = varied.length;
  const hasCurves = outputs.some(({ type }) => type === 'DATA_SET');
  const each = [...(inputs > 2 ? ['picture'] : []), ...(inputs > 0 && hasCurves ? ['curve'] : [])];
  const labels = {
    x: inputs > 1 ? 'Across' : undefined,
    y: inputs > 1 ? 'Up' : undefined,
    by: each.length > 0 ? `A ${each.join(' and a ')} for each value of` : undefined,
  };
  const shown = AXES.flatMap((axis) => (labels[axis] === undefined ? [] : [[axis, labels[axis]] as const]));
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
