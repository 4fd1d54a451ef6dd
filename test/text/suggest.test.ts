import { describe, expect, test } from '@jest/globals';
import { didYouMean, quoted, suggestion } from '../../src/text/suggest.ts';

const known = ['Contact rate', 'Recovery rate', 'Days', '{RANDOM_SEED}'];

describe('suggestion', () => {
  test.each([
    ['Contact rat', 'Contact rate'],
    ['  contact RATE ', 'Contact rate'],
    ['Recoverry rate', 'Recovery rate'],
    ['Day', 'Days'],
    ['RANDOM_SEED', '{RANDOM_SEED}'],
  ])('for "%s" is "%s"', (name, meant) => {
    expect(suggestion(name, known)).toBe(meant);
  });

  test.each(['Population', 'x', 'Beds', ''])('does not exist for "%s"', (name) => {
    expect(suggestion(name, ['Contact rate', 'Recovery rate'])).toBeUndefined();
  });

  test('does not exist if there are no known names', () => {
    expect(suggestion('Days', [])).toBeUndefined();
    expect(didYouMean('Days', [])).toBeUndefined();
  });
});

describe('didYouMean', () => {
  test('suggests the intended name, or lists at most twelve known names', () => {
    expect(didYouMean('contact rat', known)).toBe('Did you mean "Contact rate"?');
    expect(didYouMean('Population', known)).toBe(
      'Known: "Contact rate", "Recovery rate", "Days", "{RANDOM_SEED}".',
    );
    const many = Array.from({ length: 13 }, (_, n) => `a rather long name, number ${n}`);
    expect(didYouMean('x', many)).toMatch(/number 11", …\.$/);
    expect(didYouMean('x', many.slice(1))).toMatch(/number 12"\.$/);
  });
});

test('a quoted name stays on one line', () => {
  expect(quoted('Contact rate')).toBe('"Contact rate"');
  expect(quoted('a\nb\u001b[2J')).toBe(String.raw`"a\nb\u001b[2J"`);
  expect(quoted('a\u2028b\u009b2J')).toBe('"a b 2J"');
});
