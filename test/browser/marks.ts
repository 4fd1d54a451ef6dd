import { readFileSync } from 'node:fs';
import type { Browser, Locator, Page } from 'playwright-core';
import { ownFile } from '../../src/package/own-files.ts';
import { style } from '../../src/report/html/style.ts';

/** The address of {@link openPicture}. */
export const ADDRESS = 'http://127.0.0.1/campaigns/flu';

/** Opens a section with one picture and the script of pictures, as on the page of a campaign. */
export async function openPicture(
  browser: Browser,
  section: string,
): Promise<{ page: Page; figure: Locator; marks: DrawnMark[] }> {
  const script = readFileSync(ownFile('src/report/html/picture.js'), 'utf8');
  const body = `<!doctype html><style>${style} svg { width: 900px }</style><main style="position: relative">${section}</main><script>${script}</script>`;
  const page = await browser.newPage();
  await page.route('**/*', (route) => route.fulfill({ contentType: 'text/html', body }));
  await page.goto(ADDRESS);
  const figure = page.locator('figure');
  return { page, figure, ...(await marksOf(figure)) };
}

/** A mark of a picture: its place in the units of the picture, its row, and the key of the point behind it. */
export interface DrawnMark {
  x: number;
  y: number;
  row: number;
  point: string;
}

/** The marks of a picture, and the number of rows of its numbers. */
export async function marksOf(figure: Locator): Promise<{ rows: number; marks: DrawnMark[] }> {
  const text = await figure.locator('script').textContent();
  const { columns, points, panels } = JSON.parse(text!) as {
    columns: { values: unknown[] }[];
    points?: string[];
    panels: { places: number[]; rows: number | number[] }[];
  };
  const marks = panels.flatMap(({ places, rows }) =>
    Array.from({ length: places.length / 2 }, (_, at) => {
      const [x, y] = places.slice(2 * at) as [number, number];
      const row = typeof rows === 'number' ? rows + at : rows[at]!;
      return { x, y, row, point: points?.[row] ?? '' };
    }),
  );
  return { rows: columns[0]!.values.length, marks };
}

/** The place of a mark in its picture, in pixels of the screen. */
export async function positionOf(
  figure: Locator,
  { x, y }: Pick<DrawnMark, 'x' | 'y'>,
): Promise<{ x: number; y: number }> {
  const svg = figure.locator('svg');
  const [frame, viewBox] = [await svg.boundingBox(), await svg.getAttribute('viewBox')];
  const scale = frame!.width / Number(viewBox!.split(' ')[2]);
  return { x: x * scale, y: y * scale };
}
