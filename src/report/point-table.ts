import type { Campaign, CampaignOutput } from '../campaign/types.ts';
import { estimateOf } from '../campaign/precision.ts';
import type { ResultRow } from '../store/index.ts';
import { type Column, count, inputColumns, text, uniquelyNamed } from './columns.ts';
import { confidenceOf } from './mean.ts';
import { type PointResult, pointsOf, RankedSample } from './points.ts';
import { type Cell, mapped, type Table } from './table.ts';
import { kindOfOutput } from './values.ts';

type Pointed = Pick<Campaign, 'varied' | 'outputs' | 'precision'>;

/** What is said of the values of an output beside their number, in its units. */
const MOMENTS = ['mean', 'sd', 'low', 'high'];
const QUANTILES: Record<string, number> = {
  min: 0,
  q05: 0.05,
  q25: 0.25,
  median: 0.5,
  q75: 0.75,
  q95: 0.95,
  max: 1,
};
const STATISTICS = [...MOMENTS, ...Object.keys(QUANTILES)];

/**
 * The results put together, a row a point: its key, the varied inputs, how many replications are done and failed, then of
 * each numeric output n, mean, sd, low and high (the interval of the mean by Student's t), min, quantiles and max. Where
 * points are replicated until they are precise, `reached` says whether an output they go by is.
 * The confidence is the campaign's, or 0.95.
 */
export function pointTable(campaign: Pointed, rows: AsyncIterable<ResultRow>): Table {
  const outputs = numericOutputs(campaign);
  const describe = description(campaign);
  const isGoal = goalsOf(campaign);
  const statistics = outputs.flatMap(({ name, units }): Column[] => [
    { ...count(`${name} n`), of: 'output' },
    ...STATISTICS.map((what): Column => ({
      name: `${name} ${what}`,
      kind: 'number',
      type: 'DOUBLE',
      units,
      of: 'output',
    })),
    ...(isGoal(name) ? [{ name: `${name} reached`, kind: 'boolean', of: 'output' } as const] : []),
  ]);
  const cells = (point: PointResult<RankedSample>): Cell[] => [
    ...headOf(point),
    ...outputs.flatMap(({ name }) => {
      const { statistics, reached } = describe(point.samples[name]!);
      return [...statistics, ...(isGoal(name) ? [reached] : [])];
    }),
  ];
  return {
    columns: uniquelyNamed([...headColumns(campaign), ...statistics]),
    rows: mapped(
      pointsOf(rows, campaign.outputs, () => new RankedSample()),
      cells,
    ),
  };
}

/** The same with a row a numeric output of a point. */
export function longPointTable(campaign: Pointed, rows: AsyncIterable<ResultRow>): Table {
  const outputs = numericOutputs(campaign);
  const describe = description(campaign);
  const isGoal = goalsOf(campaign);
  const columns = [
    ...headColumns(campaign),
    ...[text('output'), text('units'), count('n')],
    ...STATISTICS.map((name): Column => ({ name, kind: 'number', type: 'DOUBLE' })),
    ...(campaign.precision ? [{ name: 'reached', kind: 'boolean' } as const] : []),
  ];
  async function* cells(): AsyncIterable<Cell[]> {
    for await (const point of pointsOf(rows, campaign.outputs, () => new RankedSample())) {
      for (const { name, units } of outputs) {
        const { statistics, reached } = describe(point.samples[name]!);
        const last = campaign.precision ? [isGoal(name) ? reached : null] : [];
        yield [...headOf(point), name, units, ...statistics, ...last];
      }
    }
  }
  return { columns: uniquelyNamed(columns), rows: cells() };
}

function headColumns(campaign: Pointed): Column[] {
  return [text('point'), ...inputColumns(campaign), count('replications'), count('failed')];
}

function headOf({ key, values, runs, failed }: PointResult<RankedSample>): Cell[] {
  return [key, ...values, String(runs), String(failed)];
}

function numericOutputs({ outputs }: Pointed): CampaignOutput[] {
  return outputs.filter(({ type }) => kindOfOutput(type) === 'number');
}

/** Whether points are replicated until an output is precise. */
function goalsOf({ precision }: Pointed): (output: string) => boolean {
  return (output) => precision?.outputs.includes(output) ?? false;
}

/** The cells of n and the statistics of a sample, and that of whether it is precise enough. */
function description(campaign: Pointed): (sample: RankedSample) => { statistics: Cell[]; reached: string } {
  const goal = campaign.precision ?? { relative: null, absolute: null, confidence: confidenceOf(campaign) };
  return (sample) => {
    const { n, mean, sd, low, high, reached } = estimateOf(sample, goal);
    const numbers = [n, mean, sd, low, high, ...sample.quantiles(Object.values(QUANTILES))];
    return {
      statistics: numbers.map((number) => (number === null ? null : String(number))),
      reached: String(reached),
    };
  };
}
