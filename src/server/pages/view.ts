import type { Campaign } from '../../campaign/types.ts';
import { html, type Markup } from '../../report/html/markup.ts';
import { filterIn } from '../live/filter.ts';
import type { View } from '../live/look.ts';

/** A view in an address: `show=OUTPUT`, `in:INPUT=1.2..1.8`, or `in:INPUT=1, 2, 3`. All pages of a campaign keep it. */

const INPUT = 'in:';

/** The view that an address asks for. */
export function viewOf(url: string): View {
  const query = viewQuery(url);
  return {
    show: query.getAll('show'),
    inputs: filterFields(query).map(([name, text]) => filterIn(name, text)),
  };
}

/** The parts of an address that belong to the view. */
export function viewQuery(url: string): URLSearchParams {
  const query = [...new URL(url, 'http://any').searchParams];
  return new URLSearchParams(
    query.filter(([name, value]) => (name === 'show' || name.startsWith(INPUT)) && value.trim() !== ''),
  );
}

/** The filters of a view as they were written, by the names of inputs. */
export function filterFields(view: URLSearchParams): [name: string, text: string][] {
  return [...view]
    .filter(([name]) => name.startsWith(INPUT))
    .map(([name, text]) => [name.slice(INPUT.length), text]);
}

/** A query as the end of an address. */
export function queryText(query: URLSearchParams): string {
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/** A field for each input that varies. */
export function inputFields({ varied }: Pick<Campaign, 'varied'>, view: URLSearchParams): Markup {
  return html`${varied.map(
    ({ name }) =>
      html`<label
        >${name}
        <input
          name="${INPUT}${name}"
          value="${view.get(`${INPUT}${name}`) ?? ''}"
          placeholder="1..2, or values: 1, 2"
      /></label>`,
  )}`;
}
