import type { Measure } from '../../src/campaign/measures.ts';
import { ByChance } from '../../src/report/comparison/by-chance.ts';
import { differenceApart, differenceInPairs, differs } from '../../src/report/comparison/differences.ts';
import { Stream } from '../../src/campaign/sampling/stream.ts';
import { type Drawn, exponential, poisson, twoValued } from './draws.ts';
import type { Rate } from './rate.ts';

const NORMAL: Drawn = { name: 'normal', mean: 0, sd: 1, draw: (stream) => stream.normal() };
const EXPONENTIAL: Drawn = { name: 'exponential', mean: 1, sd: 1, draw: (stream) => exponential(stream, 1) };
const MEAN = { name: 'f', statistic: 'mean' } as Measure;
const SHARE = { name: 'f', statistic: 'share' } as Measure;
const QUANTILE = { name: 'f', statistic: 'quantile', probability: 0.5 } as Measure;
const Q90 = { ...QUANTILE, probability: 0.9 };

const CASES: { measure: Measure; drawn: Drawn; runs: [number, number] }[] = [
  ...[3, 10, 50].map((n) => ({ measure: MEAN, drawn: NORMAL, runs: [n, n] as [number, number] })),
  { measure: MEAN, drawn: EXPONENTIAL, runs: [10, 10] },
  { measure: MEAN, drawn: poisson(1), runs: [10, 10] },
  { measure: MEAN, drawn: poisson(0.1), runs: [20, 20] },
  { measure: MEAN, drawn: twoValued(0.1), runs: [20, 20] },
  { measure: MEAN, drawn: twoValued(0.3), runs: [10, 30] },
  ...[0.02, 0.05, 0.1, 0.3, 0.5].flatMap((chance) =>
    (
      [
        [10, 10],
        [20, 20],
        [50, 50],
      ] as [number, number][]
    ).map((runs) => ({ measure: SHARE, drawn: twoValued(chance), runs })),
  ),
  { measure: SHARE, drawn: twoValued(0.1), runs: [3, 100] },
  { measure: QUANTILE, drawn: NORMAL, runs: [20, 20] },
  { measure: QUANTILE, drawn: EXPONENTIAL, runs: [60, 60] },
  { measure: Q90, drawn: NORMAL, runs: [60, 60] },
];
/** Points of a campaign that is compared with another one. */
const POINTS = 100;
const CONFIDENCE = 0.95;
/** The campaigns whose expected numbers are computed. It takes time, and a few campaigns show the number well enough. */
const SAID = 10;

/** Makes pairs: whole numbers are often equal in both runs of a pair, and other numbers have a common part. */
function correlate(a: number[], b: number[], stream: Stream): void {
  for (const [at, value] of a.entries()) {
    const common = stream.uniform();
    if (!Number.isInteger(value)) {
      a[at]! += common;
      b[at]! += common;
    } else if (common < 0.5) b[at] = value;
  }
}

/**
 * Two campaigns without any difference. The rate is the number of differences that the comparison expects by chance,
 * divided by the number that it finds, over all campaigns.
 */
export const compare = {
  title: `Two campaigns that do not differ, ${POINTS} points: differences said to come by chance / differences found`,
  rates({ campaigns, seed }: { campaigns: number; seed: number }): Rate[] {
    return [false, true].flatMap((isPaired) =>
      CASES.filter(({ runs }) => !isPaired || runs[0] === runs[1]).map(({ measure, drawn, runs }): Rate => {
        let [said, found] = [0, 0];
        const name = `${measure.statistic} ${measure.probability ?? ''}, ${drawn.name}, ${runs.join(' and ')} runs${isPaired ? ' in pairs' : ''}`;
        const stream = new Stream(seed, name);
        for (let campaign = 0; campaign < campaigns; campaign += 1) {
          const chance = new ByChance(CONFIDENCE);
          for (let point = 0; point < POINTS; point += 1) {
            const a = Array.from({ length: runs[0] }, () => drawn.draw(stream));
            const b = Array.from({ length: runs[1] }, () => drawn.draw(stream));
            if (isPaired) correlate(a, b, stream);
            const difference = isPaired ? differenceInPairs : differenceApart;
            const one = difference(measure, a, b, CONFIDENCE);
            if (one.low === null) continue;
            if (differs(one)) found += 1;
            if (campaign < SAID) said += chance.of(measure, a, b, isPaired);
          }
        }
        const perCampaign = [said / Math.min(SAID, campaigns), found / campaigns];
        return {
          statement: `differences by chance: said ${perCampaign[0]!.toPrecision(2)}, found ${perCampaign[1]!.toPrecision(2)}`,
          from: name,
          of: campaigns,
          rate: perCampaign[0]! / perCampaign[1]!,
          ...(Math.max(...perCampaign) >= 1 ? { least: 0.5, most: 2 } : {}),
        };
      }),
    );
  },
};
