import { parseArgs } from 'node:util';
import { documentOf, isMet, type Part, textOf } from '../report.ts';
import { rateGoals, type Rate } from './rate.ts';

/** Draws campaigns, and counts how often each kind of statement is true. */
interface Suite {
  title: string;
  /** @param campaigns - the number of drawn campaigns per row; `seed` decides all of them */
  rates: (options: { campaigns: number; seed: number }) => Rate[] | Promise<Rate[]>;
}

/** One file per kind of statement. */
const suites: Record<string, () => Promise<Suite>> = {
  repeats: async () => (await import('./repeats.ts')).repeats,
  decimals: () => import('./decimals.ts'),
  precision: async () => (await import('./precision.ts')).precision,
  selection: async () => (await import('./selection.ts')).selection,
  compare: async () => (await import('./compare.ts')).compare,
  'best-of-grid': async () => (await import('./best-of-grid.ts')).bestOfGrid,
  noise: () => import('./noise.ts'),
  shares: () => import('./shares.ts'),
  morris: () => import('./morris.ts'),
  'whole-numbers': () => import('./whole-numbers.ts'),
  failures: () => import('./failures.ts'),
  abc: async () => (await import('./abc.ts')).abc,
  sentences: () => import('./sentences.ts'),
};

/**
 * Compares the statements that foray makes with the truth: campaigns are drawn from distributions and functions whose
 * true values are known, in virtual time, and each row has the share of campaigns in which a statement is true.
 */
export async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', multiple: true, default: Object.keys(suites) },
      campaigns: { type: 'string', default: '500' },
      seed: { type: 'string', default: '1' },
      json: { type: 'boolean', default: false },
    },
  });
  const unknown = values.only.find((name) => !Object.hasOwn(suites, name));
  if (unknown !== undefined) {
    console.error(`There is no suite "${unknown}". Known: ${Object.keys(suites).join(', ')}.`);
    return false;
  }
  const options = { campaigns: Number(values.campaigns), seed: Number(values.seed) };
  const parts: Part<Rate>[] = [];
  for (const name of values.only) {
    const { title, rates } = await suites[name]!();
    const part = partOf(name, title, await rates(options), options.seed);
    if (!values.json) console.log(textOf(part));
    parts.push(part);
  }
  if (values.json) console.log(JSON.stringify({ parts: parts.map(documentOf) }, undefined, 2));
  return parts.every(({ goals }) => goals.every(isMet));
}

function partOf(name: string, title: string, rows: Rate[], seed: number): Part<Rate> {
  return {
    name,
    title: `${title} (seed ${seed})`,
    rows,
    columns: [
      { title: 'statement', of: ({ statement }) => statement },
      { title: 'drawn from', of: ({ from }) => from },
      { title: 'campaigns', of: ({ of }) => of },
      { title: 'rate', of: ({ rate }) => rate, digits: 3 },
    ],
    goals: rateGoals(rows),
  };
}
