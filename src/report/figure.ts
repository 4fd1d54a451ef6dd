import { html, Markup } from './markup.ts';
import { drawSvg, type Spec } from './pictures/render.ts';

/** A picture of a report. */
export interface Figure {
  title: string;
  /** What is seen, and what has to be known of it: sentences. */
  caption: string;
  /** Unlike that of any other picture of the page, of letters, digits and hyphens. */
  id: string;
  spec: Spec;
}

/** A picture with its title and what it shows, which can be saved under the campaign's name. */
export async function figureSection({ title, caption, id, spec }: Figure, campaign: string): Promise<Markup> {
  const svg = await drawSvg(spec, id, `${title}. ${caption}`);
  return html`<section>
    <h2>${title}</h2>
    <p class="soft">${caption}</p>
    <figure data-file="${campaign}-${id}.svg">${new Markup(svg)}</figure>
  </section>`;
}

/** "Of 15 outputs the first 12 are shown"; undefined where all are. */
export function partText(all: number, shown: number, many: string): string | undefined {
  return shown < all ? `Of ${all} ${many} the first ${shown} are shown` : undefined;
}

/** For a caption; what is undefined is left out. */
export function sentences(...all: (string | undefined)[]): string {
  return all.flatMap((one) => (one === undefined ? [] : [`${one}.`])).join(' ');
}
