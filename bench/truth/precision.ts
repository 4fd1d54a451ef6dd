import { type Estimate, estimateOf, nextReplications, type Precision } from '../../src/campaign/precision.ts';
import { Stream } from '../../src/campaign/sampling/stream.ts';
import { spreadOf } from '../../src/statistics/chance.ts';
import { type Drawn, exponential, poisson, rareLoss, twoValued } from './draws.ts';
import type { Rate } from './rate.ts';

const DISTRIBUTIONS: Drawn[] = [
  ...[0.01, 0.05, 0.1, 0.3, 0.5].map((chance) => twoValued(chance)),
  ...[0.1, 0.5, 1, 3].map(poisson),
  ...[0.01, 0.02, 0.05, 0.1].map((chance) => twoValued(chance, 50)),
  rareLoss(0.05, 20),
  { name: 'normal, mean 10', mean: 10, sd: 1, draw: (stream) => 10 + stream.normal() },
  { name: 'exponential', mean: 1, sd: 1, draw: (stream) => exponential(stream, 1) },
];

/** The runs that a distribution needs for the wanted precision, if its deviation were known. */
const NEEDED = [100, 400];
const MOST = 2_000;

/** Points that are replicated until they are precise, from five replications on. */
export const precision = {
  title: `Until precise, at most ${MOST} runs: intervals at 95 % that contain the mean`,
  rates({ campaigns, seed }: { campaigns: number; seed: number }): Rate[] {
    return NEEDED.flatMap((needed) =>
      DISTRIBUTIONS.flatMap((drawn): Rate[] => {
        const absolute = (1.96 * drawn.sd) / Math.sqrt(needed);
        const wanted = {
          min: 5,
          max: MOST,
          outputs: ['f'],
          relative: null,
          absolute,
          confidence: 0.95,
        };
        const ended = Array.from({ length: campaigns }, (_, at) =>
          untilPrecise(wanted, drawn, new Stream(seed, `${drawn.name}, ${needed}, ${at}`)),
        );
        // a point that ends at its limit was not stopped because it is precise
        const precise = ended.filter(({ n, reached }) => reached && n < MOST);
        const runs = ended.reduce((sum, { n }) => sum + n, 0) / ended.length;
        const from = `${drawn.name}, ± ${absolute.toPrecision(2)} (mean of ${Math.round(runs)} runs)`;
        const right = precise.filter((one) => holds(one, drawn.mean, absolute)).length;
        const isNarrow = ({ low, high }: Estimate): boolean => low !== null && low === high;
        return [
          {
            statement: 'precise: the interval contains the mean',
            from,
            of: precise.length,
            rate: right / precise.length,
            // strongly skewed losses are a limit (docs/reference/definition.md)
            ...(!drawn.name.includes('exponential loss') && { least: 0.92 }),
          },
          {
            statement: 'an interval has no width',
            from,
            of: ended.length,
            rate: ended.filter(isNarrow).length / ended.length,
            most: 0,
          },
        ];
      }),
    );
  },
};

/** Without an interval, the statement is that the mean is within the wanted precision. */
function holds({ mean, low, high }: Estimate, truth: number, absolute: number): boolean {
  if (low === null || high === null) return Math.abs(mean! - truth) <= absolute;
  return low <= truth && truth <= high;
}

function untilPrecise(wanted: Precision, { draw }: Drawn, stream: Stream): Estimate {
  const values: number[] = [];
  for (;;) {
    const next = nextReplications(wanted, [values], values.length);
    if (next.decided) return estimateOf(spreadOf(values), wanted);
    while (values.length < next.replications) values.push(draw(stream));
  }
}
