import type { Comparison } from '../../report/comparison/compare.ts';
import { comparisonSections } from '../../report/comparison/html.ts';
import { ComparisonSummary, comparisonNotes } from '../../report/comparison/summary.ts';
import { html, Markup } from '../../report/html/markup.ts';
import { withKeys } from '../live/shown.ts';
import { type Page, pathOfCampaign } from './layout.ts';

/**
 * Two campaigns point by point, with the pictures of `foray compare -o page.html`. Keys of points link to the points of
 * the first campaign.
 */
export async function comparePage(comparison: Comparison): Promise<Page> {
  const summary = new ComparisonSummary(comparison);
  await summary.read();
  const { a, b } = comparison;
  const sections = html`${await comparisonSections(comparison, summary)}`.text;
  const both = [a, b].map(({ id }) => html`<a href="${pathOfCampaign(id)}">${id}</a>`);
  return {
    title: `${a.id} and ${b.id}`,
    body: html`<h1>${both[0]} and ${both[1]}</h1>
      ${comparisonNotes(comparison, summary).map((note) => html`<p class="lead">${note}</p>`)}
      ${new Markup(withKeys(sections, (key) => pathOfCampaign(a.id, `points/${key}`)))}`,
  };
}
