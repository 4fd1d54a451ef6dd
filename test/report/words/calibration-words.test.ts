import { expect, test } from '@jest/globals';
import { lastChangeTexts, posteriorLines } from '../../../src/report/words/calibration-words.ts';
import type { GenerationStory } from '../../../src/search/abc/story.ts';

function generation(number: number, median: number, low: number, high: number): GenerationStory {
  const marginal = { mean: median, sd: 1, low, lowerQuartile: low, median, upperQuartile: high, high };
  return { number, tolerance: null, told: 9, accepted: 9, effective: 9, inputs: { Rate: marginal } };
}

test('the last two complete generations are compared in parts of the interval', () => {
  const [first, second, third] = [
    generation(1, 5, 0, 10),
    generation(2, 4, 0, 8),
    generation(3, 4.2, 0, 8.2),
  ];
  const open: GenerationStory = { ...third, number: 4, effective: null, inputs: null };
  expect(lastChangeTexts([first, second])).toEqual([
    'From generation 1 to 2, the median of Rate moved by 13 % of its 95 % interval, which became 20 % narrower',
    'The last two generations still differ, so a further generation may change the posterior',
  ]);
  expect(lastChangeTexts([first, second, third, open])).toEqual([
    'From generation 2 to 3, the median of Rate moved by 2 % of its 95 % interval, which became 2 % wider',
    'The last two generations hardly differ',
  ]);
  expect(lastChangeTexts([first])).toEqual([]);
});

test('the posterior of a large number with a narrow interval keeps its digits', () => {
  const inputs = {
    Start: {
      ...{ mean: 2019.6312, sd: 0.4123, median: 2019.6, lowerQuartile: 2019.3, upperQuartile: 2019.9 },
      ...{ low: 2018.8457, high: 2020.4468 },
    },
  };
  const posterior = { generation: 3, tolerance: 1, acceptance: 0.5, effective: 100, inputs };
  expect(posteriorLines({ base: [] }, { posterior })).toEqual([
    'Start: mean 2,019.63, sd 0.41; 95 % between 2,018.85 and 2,020.45',
  ]);
});

test('a quantile of an input with whole numbers has no decimals', () => {
  const inputs = {
    Servers: { mean: 4.496, sd: 1.854, low: 1, lowerQuartile: 3, median: 5, upperQuartile: 6, high: 7 },
  };
  const posterior = { generation: 5, tolerance: 1, acceptance: 0.5, effective: 32, inputs };
  const linesOf = (type: 'LONG' | 'DOUBLE') =>
    posteriorLines({ base: [{ name: 'Servers', type, units: null, value: '3' }] }, { posterior });
  expect(linesOf('LONG')).toEqual(['Servers: mean 4.5, sd 1.9; 95 % between 1 and 7']);
  expect(linesOf('DOUBLE')).toEqual(['Servers: mean 4.5, sd 1.9; 95 % between 1.0 and 7.0']);
});
