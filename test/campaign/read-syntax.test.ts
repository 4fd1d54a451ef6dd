import { describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import { readDefinition } from '../support/definition.ts';
import { errorCodes } from '../../src/error-codes.ts';
import { isForayError, type LinePlace } from '../../src/errors.ts';
import { expectOneLine, expectRefused, HEAD, thrownBy } from './support.ts';

describe('a text that is no YAML or JSON', () => {
  const syntax = { code: 'DEFINITION_SYNTAX', says: /^The definition is not valid YAML: / } as const;

  test.each([
    ['a tab for indentation', 'campaign: flu\nmodel:\n§\tname: Epidemic\n'],
    ['a list that is not closed', 'campaign: flu\nmodel: {name: Epidemic}\noutputs: §[Fit error\n'],
    ['a text that is not closed', 'campaign: flu\nmodel: {name: §"Epidemic}\n'],
    ['two settings on one line', 'campaign: flu\nmodel: §name: Epidemic\n'],
    ['a setting that appears twice', `${HEAD}seed: 1\n§seed: 2\n`],
    ['an input that appears twice', `${HEAD}inputs:\n  Days: 14\n  §Days: 15\n`],
    ['two documents', 'campaign: flu\n§---\ncampaign: measles\n'],
    ['JSON without a colon', '{"campaign": "flu", "model": {"name" §"Epidemic"}}'],
    ['an alias without an anchor', `${HEAD}inputs:\n  Days: §*days\n`],
    ['an alias of an anchor further down', `${HEAD}inputs:\n  Days: §*days\n  Population: &days 14\n`],
    [
      'aliases that would give very many values',
      `a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1]\nb: &b [§${Array.from({ length: 9 }, () => '*a').join()}]\n` +
        `c: &c [${Array.from({ length: 9 }, () => '*b').join()}]\nd: [${Array.from({ length: 9 }, () => '*c').join()}]\n`,
    ],
  ])('is refused because of %s', (_, text) => {
    expectRefused(text, syntax);
  });

  test('gives an error and no crash if the text is very deeply nested', () => {
    for (const text of ['['.repeat(50_000), '{a: '.repeat(50_000), '- '.repeat(50_000)]) {
      expect(thrownBy(() => readDefinition(text, 'deep.yaml')).code).toBe('DEFINITION_SYNTAX');
    }
  });

  test('any text gives a definition, or a known error on one line that names a place in the text', () => {
    const words = fc.constantFrom(
      ...['campaign', 'model', 'name', 'design', 'grid', 'from', 'to', 'step', 'inputs', 'files', 'seed'],
      ...[
        ': ',
        ':',
        '\n',
        '\n  ',
        '\n    ',
        '- ',
        '[',
        ']',
        '{',
        '}',
        ', ',
        '"',
        "'",
        '&a ',
        '*a',
        '!!',
        '!<x>',
      ],
      ...[
        '#',
        '|',
        '>',
        '? ',
        '%',
        '@',
        '\t',
        '\r\n',
        '---\n',
        '<<',
        '1',
        '.nan',
        '-.inf',
        '0x',
        'true',
        '~',
        '\0',
      ],
    );
    const anyText = fc.array(fc.oneof({ weight: 8, arbitrary: words }, fc.string({ maxLength: 4 })), {
      maxLength: 40,
    });
    fc.assert(
      fc.property(anyText, (parts) => {
        const text = parts.join('');
        try {
          readDefinition(text, 'any.yaml');
        } catch (error) {
          if (!isForayError(error)) throw error;
          expect(errorCodes[error.code].exit).toBe(2);
          expectOneLine(error);
          expect((error.place as LinePlace).line).toBeGreaterThanOrEqual(1);
          expect((error.place as LinePlace).line).toBeLessThanOrEqual(text.split('\n').length);
          expect((error.place as LinePlace).column).toBeGreaterThanOrEqual(1);
        }
      }),
      { numRuns: 2_000 },
    );
  });
});
