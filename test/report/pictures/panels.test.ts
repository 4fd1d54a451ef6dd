import { expect, test } from '@jest/globals';
import { largestPanels, largestText, titleBy } from '../../../src/report/pictures/panels.ts';
import { posteriorFigures } from '../../../src/report/pictures/posterior.ts';
import { analysisSection } from '../../../src/report/analysis/section.ts';
import { analyzed, type Played } from '../../sensitivity/campaigns.ts';

const numbers = Array.from({ length: 30 }, (_, at) => (at * 7) % 30);

test('the panels with the largest effects stay in the order of the inputs', () => {
  const shown = largestPanels(numbers, (number) => number);
  expect(shown).toEqual(numbers.filter((number) => number >= 18));
  expect(largestPanels([3, 1, 2], (number) => number)).toEqual([3, 1, 2]);
});

test('a caption says how many inputs are shown if not all inputs are shown', () => {
  expect(largestText(30, 12)).toBe('The 12 of 30 inputs with the largest effects are shown');
  expect(largestText(12, 12)).toBeUndefined();
});

test('a title names the inputs if they are few, and otherwise says how many there are', () => {
  const named = (count: number) => Array.from({ length: count }, (_, at) => ({ name: `x${at + 1}` }));
  expect(titleBy('Cost', named(3))).toBe('Cost by x1, x2, x3');
  expect(titleBy('Cost', named(12))).toBe('Cost by 12 inputs');
});

test('the table of an analysis keeps the inputs that matter most', () => {
  const inputs = Array.from({ length: 30 }, (_, at) => ({
    name: `x${at + 1}`,
    isWhole: false,
    distribution: { kind: 'uniform' as const, min: 0, max: 1 },
  }));
  const played: Played = { design: { kind: 'morris', inputs, trajectories: 10, levels: 4, seed: 1 } };
  const [analysis] = analyzed(played, (values) => ({
    Y: values.reduce((sum, value, at) => sum + (at + 1) * value, 0),
  }));
  const { text } = analysisSection(analysis!);
  expect(text).toContain('<td>x30</td>');
  expect(text).not.toContain('<td>x1</td>');
  expect(text).toContain('The first 20 of 30 inputs are shown.');
});

test('the caption of a posterior names the inputs whose prior has no line, and the inputs that are not drawn', () => {
  const captionOf = (names: string[]) => {
    const priors = [
      { name: 'x', isWhole: false, distribution: { kind: 'uniform' as const, min: 0, max: 4 } },
      { name: 'k', isWhole: true, distribution: { kind: 'choice' as const, values: ['0', '1'] } },
      { name: 'Rule', isWhole: false, distribution: { kind: 'choice' as const, values: ['a', 'c'] } },
    ].filter(({ name }) => names.includes(name));
    const types = { x: 'DOUBLE', k: 'LONG', Rule: 'STRING' } as const;
    const varied = priors.map(({ name }) => ({ name, type: types[name as 'x'], units: null }));
    const [values, later] = [
      { x: '1', k: '0', Rule: 'a' },
      { x: '2', k: '1', Rule: 'c' },
    ].map((point) => names.map((name) => point[name as 'x']));
    const particles = [values!, later!].map((own) => ({ values: own, weight: 0.5 }));
    const strategy = { by: 'calibration', priors } as Parameters<typeof posteriorFigures>[0]['strategy'];
    const story = { particles } as unknown as Parameters<typeof posteriorFigures>[1];
    return posteriorFigures({ varied, strategy }, story)[0]!.caption;
  };
  const text = 'The distribution of each input after the calibration (bars) and before it (line).';
  expect(captionOf(['x'])).toBe(text);
  expect(captionOf(['x', 'k', 'Rule'])).toBe(
    `${text} There is no line for k, because the prior is a list of values. There is no picture of Rule, because only inputs with numbers are drawn.`,
  );
});
