import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { rowsOf } from '../../src/campaign/designs/index.ts';
import { measureOf, measuresOf } from '../../src/campaign/measures.ts';
import type { Campaign } from '../../src/campaign/types.ts';
import type { Analysis } from '../../src/sensitivity/analysis.ts';
import { analysesIn } from '../../src/client/analysis.ts';
import { explained } from '../../src/client/explain.ts';
import { rowsOf as rowsWithAsks, storyOf } from '../../src/client/strategies.ts';
import { courseSentence } from '../../src/report/analysis/course-words.ts';
import { analysisAnswer } from '../../src/report/analysis/section.ts';
import { analysisSentence } from '../../src/report/analysis/words.ts';
import { analysesFor } from '../../src/report/of-campaign.ts';
import { compareCampaigns } from '../../src/report/comparison/compare.ts';
import { comparisonNotes, ComparisonSummary } from '../../src/report/comparison/summary.ts';
import type { Markup } from '../../src/report/html/markup.ts';
import { reportSections } from '../../src/report/html/report-sections.ts';
import { foundIn } from '../../src/report/html/story-sections.ts';
import { summarize } from '../../src/report/summary/summary.ts';
import { precisionText } from '../../src/report/words/precision-words.ts';
import { openStore, type ResultRow, type Store } from '../../src/store/index.ts';
import { pythonOfTests } from '../support/python.ts';
import { drawCampaign, type DrawnCampaign, fill } from './drawn-campaigns.ts';
import { endFindings } from './drawn-findings.ts';

/** A campaign with its raw runs and with everything that foray says about it, as plain JSON for sentences.py. */
interface Told {
  /** The seed and the number of `drawCampaign`. */
  seed: number;
  number: number;
  [key: string]: unknown;
}

/**
 * Draws campaigns, fills stores in memory with them, and lets foray speak about each of them.
 *
 * @param count - of campaigns
 */
export async function* tellCampaigns(seed: number, count: number): AsyncGenerator<Told> {
  for (let number = 0; number < count; number += 1) {
    const store = await openStore('sqlite::memory:');
    try {
      yield await tell(store, seed, number);
    } finally {
      await store.close();
    }
  }
}

/** A sentence that the raw runs of a campaign deny, with the own number of the second program. */
export interface Denial {
  seed: number;
  campaign: number;
  design: string;
  output?: string;
  sentence: string;
  own: string;
}

/**
 * Lets the second program (sentences.py) judge everything that foray says about drawn campaigns.
 *
 * @param count - of campaigns
 */
export async function judgeCampaigns(
  seed: number,
  count: number,
): Promise<{ sentences: number; denials: Denial[] }> {
  const python = join(await pythonOfTests(), 'python');
  const script = join(import.meta.dirname, 'sentences.py');
  const judge = spawn(python, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const printed = text(judge.stdout);
  for await (const told of tellCampaigns(seed, count))
    if (!judge.stdin.write(`${JSON.stringify(told)}\n`)) await once(judge.stdin, 'drain');
  judge.stdin.end();
  endFindings();
  const lines = (await printed).trimEnd().split('\n');
  const { sentences } = JSON.parse(lines.pop()!) as { sentences: number };
  return { sentences, denials: lines.map((line) => JSON.parse(line) as Denial) };
}

async function tell(store: Store, seed: number, number: number): Promise<Told> {
  const drawn = drawCampaign(seed, number);
  const campaign = await fill(store, drawn);
  const { design, base, varied, replications, precision, goal, commonRandomNumbers } = campaign;
  const { by } = campaign.strategy;
  const record = (await store.getCampaign(campaign.id))!;
  const analyses = await analysesFor(record, (outputs) => analysesIn(store, record, { outputs }));
  return {
    seed,
    number,
    kind: drawn.kind,
    active: drawn.active,
    inputs: varied.map(({ name }) => name),
    design,
    designRows: [...rowsOf(design, { base, contents: new Map() })],
    settings: {
      replications,
      precision,
      goal,
      commonRandomNumbers,
      seed: campaign.seed,
      search: by === 'search' ? campaign.strategy : undefined,
      select: by === 'selection' ? campaign.strategy : undefined,
      calibrate: by === 'calibration' ? campaign.strategy : undefined,
      outputs: campaign.outputs.map(({ name }) => name),
    },
    measures: measuresOf(campaign).map(({ name, statistic, probability }) => ({
      name,
      statistic,
      probability,
    })),
    runs: await runsOf(store, campaign),
    said: {
      ...(await ofReport(store, campaign, analyses)),
      analyses: ofAnalyses(analyses),
      precision: await ofPrecision(store, campaign),
    },
    // campaigns that find their points have other points
    other:
      by === 'search' || by === 'selection' || by === 'calibration'
        ? null
        : await ofOther(store, campaign, changed(drawn, number)),
  };
}

async function ofOther(store: Store, campaign: Campaign, drawn: DrawnCampaign): Promise<unknown> {
  const other = await fill(store, drawn);
  return {
    seed: other.seed,
    runs: await runsOf(store, other),
    ...(await ofComparison(store, campaign, other)),
  };
}

/** The same campaign with another model: sometimes all numbers differ, and sometimes only chance differs. */
function changed(drawn: DrawnCampaign, number: number): DrawnCampaign {
  const { campaign, model } = drawn;
  const { id, seed } = campaign;
  const by = number % 2 === 0 ? 0 : 1.5;
  return {
    ...drawn,
    campaign: {
      ...campaign,
      id: `${id}-changed`,
      seed: seed === null || number % 4 < 2 ? seed : seed + 1,
    },
    model: (values, chance) => {
      const outputs = model(values, chance);
      if (!outputs || campaign.seed === null) return outputs;
      const { Cost, Late } = outputs;
      return {
        ...outputs,
        Cost: String(Number(Cost) + by + 0.3 * chance.normal()),
        Late: String(Late === 'true' && chance.uniform() < 0.8),
      };
    },
  };
}

async function runsOf(store: Store, campaign: Campaign): Promise<unknown[]> {
  const runs: unknown[] = [];
  const all = store.results(campaign.id);
  for await (const row of rowsWithAsks(store, campaign, all)) {
    const {
      point,
      values,
      draws = 1,
      replication,
      status,
      outputs,
      ask,
      generation,
      weight,
    } = row as ResultRow & {
      ask?: unknown;
      generation?: unknown;
      weight?: unknown;
    };
    runs.push({ point, values, draws, replication, status, outputs, ask, generation, weight });
  }
  return runs;
}

/** The sentences of the report by section, and the best points. */
async function ofReport(
  store: Store,
  campaign: Campaign,
  analyses: readonly Analysis[],
): Promise<Record<string, unknown>> {
  const record = (await store.getCampaign(campaign.id))!;
  const counts = await store.counts(campaign.id);
  const { goal } = campaign;
  const asked = goal ? [measureOf(campaign.outputs, goal.output)] : [];
  const story = await storyOf(store, campaign);
  const found = story && foundIn(story);
  const summary = await summarize(campaign, store.results(campaign.id), asked, {
    goal,
    found: found ? { output: goal!.output, key: found.best?.key } : undefined,
  });
  const told = { story, analyses };
  // the texts of a report do not need its pictures
  const sections = await reportSections(record, counts, summary, told, ({ title }) =>
    Promise.resolve({ title, svg: '', panels: [] }),
  );
  const { output, best } = summary;
  return {
    report: sections.flatMap(({ id, markup }) => linesOf(id, markup)),
    // the internal numbers of the winner, so that the sentences about it need no rounding
    found: found?.best,
    best: {
      output: output?.name,
      wants: summary.ranking.wants,
      points: best.map(({ key }) => key),
    },
  };
}

/** The texts of a section: one for each paragraph, title or row of a table. */
function linesOf(section: string, markup: Markup | undefined): { section: string; text: string }[] {
  if (!markup) return [];
  return (
    markup.text
      // the numbers of pictures and their buttons are no sentences
      .replaceAll(/<script.*?<\/script>|<button.*?<\/button>/gs, '')
      .replaceAll(/<\/t[dh]>/g, ' | ')
      .split(/<\/?(?:p|div|h2|tr|thead|li|pre|summary)\b[^>]*>/)
      .map((part) =>
        part
          .replaceAll(/<[^>]*>/g, ' ')
          .replaceAll(/\s+/g, ' ')
          .trim(),
      )
      .map((part) => part.replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code))))
      .filter((text) => text !== '')
      .map((text) => ({ section, text }))
  );
}

function ofAnalyses(analyses: readonly Analysis[]): unknown[] {
  return analyses.map((analysis) => ({
    analysis,
    sentence: analysis.times ? courseSentence(analysis) : analysisSentence(analysis),
    answer: linesOf('answer', analysisAnswer(analysis)).map(({ text }) => text),
  }));
}

/** The precision of the first points, in words. */
async function ofPrecision(store: Store, campaign: Campaign): Promise<unknown[]> {
  if (!campaign.precision) return [];
  const record = (await store.getCampaign(campaign.id))!;
  const keys = new Set<string>();
  for await (const { point } of store.results(campaign.id)) keys.add(point);
  const texts = [...keys].slice(0, 5).map(async (point) => {
    const story = await store.pointStory(campaign.id, point, []);
    const neighbours = { before: null, after: null };
    const { precision } = explained(record, story!, neighbours, new Map());
    return precision.map((one) => ({ point, text: precisionText(one) }));
  });
  return (await Promise.all(texts)).flat();
}

async function ofComparison(store: Store, a: Campaign, b: Campaign): Promise<Record<string, unknown>> {
  const compared = (campaign: Campaign) => ({ campaign, rows: () => store.results(campaign.id) });
  const comparison = compareCampaigns(compared(a), compared(b));
  const summary = new ComparisonSummary(comparison);
  const points: unknown[] = [];
  for await (const { key, in: where, outputs } of summary.watched()) points.push({ key, where, outputs });
  return {
    outputs: comparison.outputs.map(({ name }) => name),
    method: comparison.method,
    confidence: comparison.confidence,
    notes: comparisonNotes(comparison, summary),
    points,
  };
}
