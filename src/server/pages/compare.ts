import type { Comparison } from '../../report/comparison/compare.ts';
import { comparisonSections } from '../../report/comparison/html.ts';
import { ComparisonSummary, comparisonNotes } from '../../report/comparison/summary.ts';
import { html } from '../../report/markup.ts';
import type { Page } from './layout.ts';

/** Two campaigns point by point, with the pictures of `foray compare -o page.html`. */
export async function comparePage(comparison: Comparison): Promise<Page> {
  const summary = new ComparisonSummary(comparison);
  await summary.read();
  const title = `${comparison.a.id} and ${comparison.b.id}`;
  return {
    title,
    body: html`<h1>${title}</h1>
      ${comparisonNotes(comparison, summary).map((note) => html`<p class="lead">${note}</p>`)}
      ${await comparisonSections(comparison, summary)}`,
  };
}
