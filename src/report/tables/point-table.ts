import { Batched } from '../../batched.ts';
import { distinct, type Measure, measureOf, measuresOf, type Statistic } from '../../campaign/measures.ts';
import type { Campaign } from '../../campaign/types.ts';
import type { ResultRow } from '../../store/index.ts';
import { type Column, count, inputColumns, text, uniquelyNamed } from './column-types.ts';
import { estimateAt, type Estimated, type PointResult, pointsOf, RankedSample } from '../summary/points.ts';
import { statisticsOf } from '../words/words.ts';
import { DRAWS } from './result-columns.ts';
import type { Cell, Table } from './result-table.ts';

/** The part of a campaign that a table of its points needs. */
type PointedCampaign = Pick<Campaign, 'varied' | 'outputs' | 'derived' | 'goal' | 'repeats'> & Estimated;

const QUANTILES: Record<string, number> = {
  min: 0,
  q05: 0.05,
  q25: 0.25,
  median: 0.5,
  q75: 0.75,
  q95: 0.95,
  max: 1,
};
/** The columns of an output by its statistic, besides the column `n`. */
const STATISTICS: Record<Statistic, readonly string[]> = {
  mean: ['mean', 'sd', 'low', 'high', ...Object.keys(QUANTILES)],
  share: ['share', 'low', 'high'],
  quantile: ['quantile', 'low', 'high'],
};

/**
 * The results with one row per point: its key, the varied inputs, and the numbers of done and failed replications.
 * Numeric outputs have n, mean, sd, low and high (the interval of the mean by Student's t), min, quantiles and max.
 * BOOLEAN outputs and P(…) have n, share, low and high (Wilson's interval). Q(…) have n, quantile, low and high. If
 * points are replicated until they are precise, `reached` tells whether the output is precise. The confidence is the
 * campaign's, or 0.95.
 *
 * @param show - names of outputs and formulas; by default all that the campaign has
 * @throws ForayError UNKNOWN_OUTPUT, INVALID_VALUE, INVALID_EXPRESSION
 */
export function pointTable(
  campaign: PointedCampaign,
  rows: AsyncIterable<ResultRow>,
  show?: readonly string[],
): Table {
  const measures = shownMeasures(campaign, show);
  const namesOf = ({ name, statistic }: Measure): string[] => [
    ...STATISTICS[statistic],
    ...(mustBePrecise(campaign, name) ? ['reached'] : []),
  ];
  const statistics = measures.flatMap((measure): Column[] => {
    const { name, units, statistic } = measure;
    return [
      { ...count(`${name} n`), of: 'output', isDetail: true },
      ...namesOf(measure).map((what): Column => {
        const column = { name: `${name} ${what}`, of: 'output', isDetail: what !== statistic } as const;
        return what === 'reached'
          ? { ...column, kind: 'boolean' }
          : { ...column, kind: 'number', type: 'DOUBLE', units };
      }),
    ];
  });
  const cells = (point: PointResult<RankedSample>): Cell[] => [
    ...headOf(campaign, point),
    ...measures.flatMap((measure) => {
      const known = estimateCells(campaign, measure, point.samples[measure.name]!);
      return ['n', ...namesOf(measure)].map((what) => known[what] ?? null);
    }),
  ];
  return {
    columns: uniquelyNamed([...headColumns(campaign), ...statistics]),
    rows: Batched.single(pointsOf(rows, measures, [], () => new RankedSample())).map(cells),
  };
}

/**
 * The results with one row per output of a point. The columns `share` and `quantile` exist only if an output has this
 * statistic.
 */
export function longPointTable(
  campaign: PointedCampaign,
  rows: AsyncIterable<ResultRow>,
  show?: readonly string[],
): Table {
  const measures = shownMeasures(campaign, show);
  const values = new Set<string>(['mean', ...statisticsOf(measures)]);
  const statistics = [...values.union(new Set(STATISTICS.mean))];
  const columns = [
    ...headColumns(campaign),
    ...[text('output'), text('units'), { ...count('n'), isDetail: true }],
    ...statistics.map((name): Column => ({
      name,
      kind: 'number',
      type: 'DOUBLE',
      isDetail: !values.has(name),
    })),
    ...(campaign.precision ? [{ name: 'reached', kind: 'boolean' } as const] : []),
  ];
  async function* cells(): AsyncIterable<Cell[]> {
    for await (const point of pointsOf(rows, measures, [], () => new RankedSample())) {
      for (const measure of measures) {
        const { name, units } = measure;
        const known = estimateCells(campaign, measure, point.samples[name]!);
        const numbers = ['n', ...statistics].map((what) => known[what] ?? null);
        const reached = mustBePrecise(campaign, name) ? known.reached! : null;
        yield [...headOf(campaign, point), name, units, ...numbers, ...(campaign.precision ? [reached] : [])];
      }
    }
  }
  return { columns: uniquelyNamed(columns), rows: Batched.single(cells()) };
}

function shownMeasures(campaign: PointedCampaign, show: readonly string[] | undefined): Measure[] {
  return show ? distinct(show.map((name) => measureOf(campaign.outputs, name))) : measuresOf(campaign);
}

function headColumns(campaign: PointedCampaign): Column[] {
  return [
    text('point'),
    ...inputColumns(campaign),
    ...(campaign.repeats === undefined ? [] : [DRAWS]),
    { ...count('replications'), isDetail: true },
    count('failed'),
  ];
}

function headOf(
  { repeats }: PointedCampaign,
  { key, values, draws, runs, failed }: PointResult<RankedSample>,
): Cell[] {
  const drawsCell = repeats === undefined ? [] : [String(draws)];
  return [key, ...values, ...drawsCell, String(runs), String(failed)];
}

/** Whether points are replicated until an output is precise. */
function mustBePrecise({ precision }: PointedCampaign, output: string): boolean {
  return precision?.outputs.includes(output) ?? false;
}

/** The cells of an estimate by column name. Columns that the statistic does not have are missing. */
function estimateCells(
  campaign: PointedCampaign,
  measure: Measure,
  sample: RankedSample,
): Record<string, Cell> {
  const { n, mean, sd, low, high, reached } = estimateAt(campaign, measure, sample);
  const known: Record<string, number | null> = { n, [measure.statistic]: mean, low, high };
  if (measure.statistic === 'mean') {
    known.sd = sd;
    const quantiles = sample.quantiles(Object.values(QUANTILES));
    for (const [at, name] of Object.keys(QUANTILES).entries()) known[name] = quantiles[at]!;
  }
  const cells = Object.entries(known).map(([name, value]) => [name, value === null ? null : String(value)]);
  return { ...(Object.fromEntries(cells) as Record<string, Cell>), reached: String(reached) };
}
