import { afterAll, expect, test } from '@jest/globals';
import { analysesIn } from '../../../src/client/analysis.ts';
import { storyOf } from '../../../src/client/strategies.ts';
import { reportParts } from '../../../src/report/html/html.ts';
import { analysesFor } from '../../../src/report/of-campaign.ts';
import { openStore } from '../../../src/store/index.ts';
import { drawCampaign, fill } from '../../oracles/drawn-campaigns.ts';
import { endFindings } from '../../oracles/drawn-findings.ts';

/** One campaign of each kind, with searches and selections of two sizes. */
const CAMPAIGNS = [...Array(14).keys(), 25, 26, 27];

afterAll(endFindings);

function repeated(ids: readonly string[]): string[] {
  return ids.filter((id, at) => ids.indexOf(id) !== at);
}

// a live page replaces a section by its id, and a picture refers to its parts by their ids
test('no id is twice in the report of a campaign of any kind', async () => {
  const kinds = new Set<string>();
  const drawn = new Set<string>();
  for (const number of CAMPAIGNS) {
    const store = await openStore('sqlite::memory:');
    try {
      const { kind, ...rest } = drawCampaign(1, number);
      const { id } = await fill(store, { kind, ...rest });
      const record = (await store.getCampaign(id))!;
      const { sections } = await reportParts(record, await store.counts(id), store.results(id), {
        story: await storyOf(store, record.campaign),
        analyses: await analysesFor(record, (outputs) => analysesIn(store, record, { outputs })),
      });
      const page = sections.map(({ markup }) => markup.text).join('\n');
      const marked = [...page.matchAll(/ id="([^"]*)"/g)].map(([, one]) => one!);
      expect({ kind, sections: repeated(sections.map((one) => one.id)), page: repeated(marked) }).toEqual({
        kind,
        sections: [],
        page: [],
      });
      kinds.add(kind);
      for (const one of sections) drawn.add(one.id);
    } finally {
      await store.close();
    }
  }
  expect(kinds.size).toBe(14);
  for (const one of ['search-points', 'search-table', 'select-table', 'posterior', 'posterior-table'])
    expect(drawn).toContain(one);
});
