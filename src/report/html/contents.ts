import { html, Markup } from './markup.ts';
import type { ReportSection } from './section.ts';

/** With fewer titles than this, a page needs no contents. */
const FEWEST_TITLES = 4;

/** The id of the element around a section. */
export function anchorOf({ id }: Pick<ReportSection, 'id'>): string {
  return `part-${id}`;
}

/** The sections of a report with a list of their titles, each a link, after the tiles of facts. */
export function withContents(sections: readonly ReportSection[]): ReportSection[] {
  const titles = sections.flatMap((section) => {
    const [, title] = /<h2>(.*?)<\/h2>/s.exec(section.markup.text) ?? [];
    return title === undefined ? [] : [{ anchor: anchorOf(section), title: new Markup(title) }];
  });
  if (titles.length < FEWEST_TITLES) return [...sections];
  const markup = html`<nav class="contents" aria-label="Contents">
    <ul>
      ${titles.map(({ anchor, title }) => html`<li><a href="#${anchor}">${title}</a></li>`)}
    </ul>
  </nav>`;
  const afterFacts = sections.findIndex(({ id }) => id === 'facts') + 1;
  return sections.toSpliced(afterFacts, 0, { id: 'contents', markup });
}
