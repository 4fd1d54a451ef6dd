import { hasRunsPerDraw } from '../../campaign/draws.ts';
import type { Campaign } from '../../campaign/types.ts';
import { html, Markup } from '../html/markup.ts';
import { numbersJson, type PanelInputs, type PictureNumbers } from './numbers.ts';
import { draw, type Panel, type Spec } from './vega.ts';

/** A picture of a report. */
export interface Figure {
  title: string;
  /** Sentences about the content of the picture. */
  caption: string;
  /** A unique id in the page, of letters, digits and hyphens. */
  id: string;
  /** Each datum of a mark has the number of its `row` in `numbers`. */
  spec: Spec;
  numbers: PictureNumbers;
  /** The inputs on the axes of the panels with marks; a single one is for all panels. @default none */
  inputs?: readonly PanelInputs[];
}

/** A figure that was drawn. */
export interface Picture {
  title: string;
  /** The picture for a page. It has the page's text colour and takes the available width. */
  svg: string;
  panels: Panel[];
}

export type Drawing = (figure: Figure) => Promise<Picture>;

export async function pictureOf({
  title,
  caption,
  id,
  spec,
}: Pick<Figure, 'title' | 'caption' | 'id' | 'spec'>): Promise<Picture> {
  return { title, ...(await draw(spec, id, `${title}. ${caption}`)) };
}

/** Makes the text of an SVG file: dark on white, with a fixed size. */
export function standalone({ svg }: Pick<Picture, 'svg'>): string {
  const [, width, height] = /viewBox="\S+ \S+ (\S+) (\S+)"/.exec(svg)!;
  const size = `xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"`;
  return svg.replace('<svg ', `<svg ${size} style="color: #1c2026; background: #ffffff" `);
}

/**
 * A section with a picture, its title, its caption, and what the script of a page needs: the numbers of the marks, and
 * buttons that save the picture and the numbers under the campaign's name.
 */
export function figureSection(
  { title, caption, id, numbers, inputs = [] }: Figure,
  { svg, panels }: Picture,
  campaign: string,
): Markup {
  return html`<section>
    <h2>${title}</h2>
    <p class="soft">${caption}</p>
    <figure data-file="${campaign}-${id}" tabindex="0">
      ${new Markup(svg)}
      <script type="application/json">
        ${new Markup(numbersJson(numbers, panels, inputs))}
      </script>
    </figure>
    <p class="save">
      ${['SVG', 'PNG', 'CSV'].map((format) => html`<button type="button" data-save="${format}">${format}</button>`)}
    </p>
  </section>`;
}

/** "The first 12 of 15 outputs are shown"; undefined if all are shown. */
export function partText(all: number, shown: number, many: string): string | undefined {
  return shown < all ? `The first ${shown} of ${all} ${many} are shown` : undefined;
}

/** Sentences for a caption; undefined ones are left out. */
export function sentences(...all: (string | undefined)[]): string {
  return all.flatMap((one) => (one === undefined ? [] : [`${one}.`])).join(' ');
}

/** Says why there are more values than runs; undefined if there are not. */
export function repeatsText(campaign: Campaign): string | undefined {
  return campaign.repeats === undefined || hasRunsPerDraw(campaign)
    ? undefined
    : 'A run counts as often as the design has its point';
}
