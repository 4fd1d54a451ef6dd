import { writeFile } from 'node:fs/promises';
import type { Foray } from '../../client/index.ts';
import { campaignsCompared } from '../../report/comparison/of-campaigns.ts';
import { comparisonSections } from '../../report/comparison/html.ts';
import { comparisonNotes, ComparisonSummary } from '../../report/comparison/summary.ts';
import { comparisonTable } from '../../report/comparison/table.ts';
import { standalone } from '../../report/pictures/figure.ts';
import { pointSections } from '../../report/html/report-sections.ts';
import type { ReportSection } from '../../report/html/section.ts';
import { formatTable, tableOf } from '../../report/index.ts';
import { parquet } from '../../report/formats/parquet.ts';
import { picturesOf, type ReportChoice, reportOf } from '../../report/of-campaign.ts';
import { version } from '../../package/own-version.ts';
import { shownSection } from '../live/shown.ts';
import { type Query, rowsOf, shapeOf } from '../api/rows-of.ts';
import { jsonArray } from '../api/send-json.ts';

/** The answers that are computed from all results of a campaign: files, JSON as text, and parts of pages as HTML. */

/** A picture of a report as an SVG file. `name`: the id of its section. */
export interface FigureFile {
  name: string;
  title: string;
  svg: string;
}

/** The mode of files with results: for the user of the server only. */
const OWN = { mode: 0o600 };

/** Writes the report as an HTML file. @throws ForayError like `reportOf` */
export async function writeReport(
  foray: Foray,
  id: string,
  choice: ReportChoice,
  path: string,
): Promise<void> {
  await writeFile(path, await reportOf(foray, id, choice), OWN);
}

/** Writes the pictures of the report as JSON, a list of {@link FigureFile}. @throws ForayError like `picturesOf` */
export async function writeFigures(
  foray: Foray,
  id: string,
  choice: ReportChoice,
  path: string,
): Promise<void> {
  const figures = Array.from(await picturesOf(foray, id, choice), ([name, picture]): FigureFile => ({
    name,
    title: picture.title,
    svg: standalone(picture),
  }));
  await writeFile(path, JSON.stringify(figures), OWN);
}

/** Writes the results as a Parquet file. @throws ForayError, ServerError like `rowsOf` and `shapeOf` */
export async function writeParquet(foray: Foray, id: string, query: Query, path: string): Promise<void> {
  const { record, rows } = await rowsOf(foray, id, query);
  const description = { record, version, all: query.all ?? false };
  await writeFile(path, parquet(tableOf(record.campaign, rows, shapeOf(query)), description), OWN);
}

/** The analyses of a campaign as JSON. @throws ForayError like `Foray.analyze` */
export async function analysisJson(foray: Foray, id: string, outputs: string[] | undefined): Promise<string> {
  return JSON.stringify(await foray.analyze(id, { outputs }));
}

/** Two campaigns point by point as JSON. @throws ForayError like `campaignsCompared` */
export async function comparedJson(
  foray: Foray,
  a: string,
  b: string,
  show: string[] | undefined,
): Promise<string> {
  const comparison = await campaignsCompared(foray, a, b, { show });
  const summary = new ComparisonSummary(comparison);
  const rows = await jsonArray(formatTable('jsonl', comparisonTable(comparison, summary.watched())));
  return `{"rows":${rows},"notes":${JSON.stringify(comparisonNotes(comparison, summary))}}`;
}

/** The content of a page that compares two campaigns. */
export interface ComparedParts {
  a: string;
  b: string;
  notes: string[];
  /** HTML: the pictures of `foray compare -o page.html`. */
  sections: string;
}

/** Compares two campaigns for a page. @throws ForayError like `campaignsCompared` */
export async function comparedParts(foray: Foray, a: string, b: string): Promise<ComparedParts> {
  const comparison = await campaignsCompared(foray, a, b, {});
  const summary = new ComparisonSummary(comparison);
  await summary.read();
  const sections = await comparisonSections(comparison, summary);
  return {
    a: comparison.a.id,
    b: comparison.b.id,
    notes: comparisonNotes(comparison, summary),
    // keys of points lead to the points of the first campaign
    sections: htmlOf(sections, comparison.a.id),
  };
}

/** The maximum number of replications of a point whose curves are drawn. */
const MOST_REPLICATIONS = 400;

/** The pictures of a point as HTML. @param place - the number of the point in the design, from 1 */
export async function pointPictures(foray: Foray, id: string, key: string, place: number): Promise<string> {
  // after all runs of the point before: positions count from 0, so its position is `place - 2`
  const after = { position: place - 2, ordinal: Number.MAX_SAFE_INTEGER, replication: 0 };
  const { record, rows } = await foray.runsPage(id, { limit: MOST_REPLICATIONS, after });
  const own = rows.filter(({ point }) => point === key);
  return htmlOf(await pointSections(record.campaign, own), id);
}

function htmlOf(sections: readonly ReportSection[], campaign: string): string {
  return sections.map((section) => `<div>${shownSection(section, campaign).html}</div>`).join('');
}
