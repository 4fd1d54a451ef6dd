import { describe, expect, test } from '@jest/globals';
import type { InputType } from '../../src/api/constants.ts';
import { checkBody, epidemic, refused, thrownBy, valueOf } from './support.ts';

describe('values', () => {
  test.each<[InputType, string, string, RegExp]>([
    ['INTEGER', 'Days', '8.5', /is 8.5, which is not a whole number/],
    ['INTEGER', 'Days', '"8.5"', /is "8.5", which is not a whole number/],
    ['INTEGER', 'Days', '2147483648', /out of range/],
    ['INTEGER', 'Days', '-2147483649', /out of range/],
    ['INTEGER', 'Days', '1e300', /out of range/],
    ['INTEGER', 'Days', 'true', /is true, which is not a number/],
    ['INTEGER', 'Days', '""', /is "", which is not a number/],
    ['INTEGER', 'Days', '1_000', /not a number/],
    ['DOUBLE', 'Contact rate', 'abc', /is "abc", which is not a number/],
    ['DOUBLE', 'Contact rate', '"1,5"', /not a number/],
    ['DOUBLE', 'Contact rate', '"0x10"', /not a number/],
    ['DOUBLE', 'Contact rate', '"Infinity"', /not a number/],
    ['DOUBLE', 'Contact rate', 'nan', /not a number/],
    ['BOOLEAN', 'Stochastic', 'yes', /is "yes", which is not true or false/],
    ['BOOLEAN', 'Stochastic', '1', /not true or false/],
    ['DATE_TIME', 'Begin', '1978-02-30T08:00', /not a date and time like/],
    ['DATE_TIME', 'Begin', '1978-01-22', /not a date and time/],
    ['DATE_TIME', 'Begin', '1978-01-22T24:00', /not a date and time/],
    ['DATE_TIME', 'Begin', '1978', /not a date and time/],
    ['LONG', 'Budget', '1.5', /not a whole number/],
    ['LONG', 'Budget', '"9223372036854775808"', /out of range/],
    ['LONG', 'Budget', '9007199254740993', /too large to be read exactly/],
    ['LONG', 'Budget', '-9223372036854775808', /too large to be read exactly/],
  ])('the %s input "%s" does not take %s', (type, name, value, says) => {
    const bodies = [
      `inputs:\n  Population: 763\n  ${name}: §${value}\n`,
      `design:\n  grid:\n    ${name}: [§${value}]\n`,
      `design:\n  grid:\n    ${name}:\n      - §${value}\n      - 1\n`,
    ];
    for (const body of bodies) {
      const hint = says.source.startsWith('too large') ? /in quotes/ : new RegExp(`^The input takes ${type}`);
      refused('INVALID_VALUE', body, new RegExp(`^The value of "${name}" .*${says.source}`), hint);
    }
  });

  test('the hint of an error names the type and the units of the input', () => {
    refused('INVALID_VALUE', 'inputs: {Contact rate: §x}\n', /"x"/, /^The input takes DOUBLE, in PER_DAY\.$/);
  });

  test('an error shortens a very long value', () => {
    const error = thrownBy(() => checkBody(`inputs: {Days: ${'x'.repeat(10_000)}}\n`));
    expect(error.toLine().length).toBeLessThan(250);
  });

  test.each(['007', '1.50', 'true'])('a STRING input takes %s only in quotes', (written) => {
    refused(
      'INVALID_VALUE',
      `inputs: {Title: §${written}}\n`,
      /"Title" is a (number|boolean), not a text/,
      /in quotes/,
    );
    expect(valueOf(checkBody(`inputs: {Title: "${written}"}\n`), 'Title')).toBe(written);
  });

  test('a LONG stays exact up to 64 bits in quotes, and up to 53 bits without quotes', () => {
    const checked = checkBody('inputs: {Budget: "9223372036854775807"}\n');
    expect(valueOf(checked, 'Budget')).toBe('9223372036854775807');
    expect(valueOf(checkBody('inputs: {Budget: 9007199254740991}\n'), 'Budget')).toBe('9007199254740991');
  });

  test('an input for a file is refused under "inputs", and any other input is refused under "files"', () => {
    const file = /^The input "Observed cases" takes a file/;
    refused('INVALID_VALUE', 'inputs:\n  §Observed cases: ./a.csv\n', file, /under "files"/);
    refused(
      'INVALID_VALUE',
      'files: {§Days: ./a.csv}\n',
      /"Days" takes INTEGER, not a file/,
      /under "inputs"/,
    );
  });

  test('all values become canonical, also values of the template', () => {
    const checked = checkBody('inputs: {Days: "14.0", Stochastic: "TRUE", Begin: "1978-01-22T08:30"}\n');
    expect(valueOf(checked, 'Days')).toBe('14');
    expect(valueOf(checked, 'Stochastic')).toBe('true');
    expect(valueOf(checked, 'Begin')).toBe('1978-01-22T08:30:00');
    expect(valueOf(checked, 'Contact rate')).toBe('1.66');
  });

  test('a default value that its type does not allow stays as the service sent it', () => {
    const { version } = epidemic;
    const { experimentTemplate: template } = version;
    const inputs = template.inputs.map((input) =>
      input.name === 'Days' ? { ...input, value: 'soon' } : input,
    );
    const facts = { ...epidemic, version: { ...version, experimentTemplate: { ...template, inputs } } };
    expect(valueOf(checkBody('', facts), 'Days')).toBe('soon');
  });
});
