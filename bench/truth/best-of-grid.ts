import { chosenInterval } from '../../src/report/summary/chosen.ts';
import { OutputSample } from '../../src/report/summary/points.ts';
import { Stream } from '../../src/campaign/sampling/stream.ts';
import { type Drawn, exponential, poisson, rareLoss, twoValued } from './draws.ts';
import type { Rate } from './rate.ts';

/** The output of point n of a grid, from an output with a mean of 1: the means of the points grow by `step`. */
function scaled(drawn: Drawn, at: number, step: number): Drawn {
  const factor = (1 + at * step) / drawn.mean;
  return {
    ...drawn,
    mean: 1 + at * step,
    sd: factor * drawn.sd,
    draw: (stream) => factor * drawn.draw(stream),
  };
}

const OUTPUTS: Drawn[] = [
  { name: 'normal', mean: 1, sd: 0.5, draw: (stream) => 1 + 0.5 * stream.normal() },
  { name: 'exponential', mean: 1, sd: 1, draw: (stream) => exponential(stream, 1) },
  poisson(3),
  twoValued(0.3),
  twoValued(0.1, 50),
  rareLoss(0.1, 20),
];
const POINTS = 48;
const MEASURE = { name: 'f', statistic: 'mean' } as const;

/** A campaign with chance. */
const RANDOM = {
  base: [{ name: '{RANDOM_SEED}', type: 'LONG' as const, units: null, value: '1' }],
  precision: null,
};

/** The best point of a grid, as the report shows it: the lowest mean, with the interval that knows of the choice. */
export const bestOfGrid = {
  title: `The best of ${POINTS} points of a grid: intervals at 95 % that contain its true mean`,
  rates({ campaigns, seed }: { campaigns: number; seed: number }): Rate[] {
    return OUTPUTS.flatMap((output) =>
      [10, 30].flatMap((runs) =>
        [0, 0.02].map((step): Rate => {
          let [right, shown] = [0, 0];
          for (let campaign = 0; campaign < campaigns; campaign += 1) {
            const stream = new Stream(seed, `${output.name}, ${runs}, ${step}, ${campaign}`);
            const points = Array.from({ length: POINTS }, (_, at) => {
              const { mean, draw } = scaled(output, at, step);
              const f = new OutputSample();
              for (let run = 0; run < runs; run += 1) f.add(draw(stream));
              return { mean, samples: { f } };
            });
            const ranked = points.toSorted((a, b) => a.samples.f.mean! - b.samples.f.mean!);
            const interval = chosenInterval(RANDOM, MEASURE, ranked.slice(0, 10), POINTS);
            if (!interval) continue;
            shown += 1;
            const { mean } = ranked[0]!;
            if (interval[0] <= mean && mean <= interval[1]) right += 1;
          }
          return {
            statement: 'the interval of the best point contains its mean',
            from: `${output.name}, ${runs} runs, means ${step === 0 ? 'equal' : 'grow'} (shown in ${shown})`,
            of: shown,
            rate: right / Math.max(1, shown),
            ...(shown > 100 && { least: 0.93 }),
          };
        }),
      ),
    );
  },
};
