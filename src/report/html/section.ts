import { type Drawing, type Figure, figureSection, type Picture } from '../pictures/figure.ts';
import type { PictureNumbers } from '../pictures/numbers.ts';
import type { Markup } from './markup.ts';

/** A section of a report. A live page always replaces a whole section. */
export interface ReportSection {
  /** A unique id of letters, digits and hyphens. */
  id: string;
  markup: Markup;
  /** The picture of the section; undefined if it has none. */
  picture?: Picture;
  /** The numbers of its marks. */
  numbers?: PictureNumbers;
}

/** A section, or nothing if it has no content. */
export function part(id: string, markup: Markup | undefined): ReportSection[] {
  return markup === undefined ? [] : [{ id, markup }];
}

/** The sections of some pictures. */
export function drawn(
  figures: readonly Figure[],
  campaign: string,
  drawing: Drawing,
): Promise<ReportSection[]> {
  return Promise.all(
    figures.map(async (figure) => {
      const picture = await drawing(figure);
      return {
        id: figure.id,
        markup: figureSection(figure, picture, campaign),
        picture,
        numbers: figure.numbers,
      };
    }),
  );
}
