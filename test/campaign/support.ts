import { expect } from '@jest/globals';
import type { Experiment, InputItem, OutputDescriptor, Version } from '../../src/api/resources.ts';
import { type CheckedDefinition, checkDefinition } from '../../src/campaign/check.ts';
import type { ModelFacts } from '../../src/campaign/facts.ts';
import { readDefinition } from '../support/definition.ts';
import type { ForayError, LinePlace } from '../../src/errors.ts';
import type { ErrorCode } from '../../src/error-codes.ts';
import { isForayError } from '../../src/errors.ts';

const FILE = 'campaign.yaml';

function input(
  name: string,
  type: InputItem['type'],
  value: string,
  units: InputItem['units'] = null,
): InputItem {
  return { name, type, units, value };
}

function output(name: string, type: OutputDescriptor['type']): OutputDescriptor {
  return { name, type, units: null, value: null };
}

/** The model "Epidemic" as the service describes it, with the further inputs Title, Begin and Budget. */
export const version: Version = {
  id: 'fd5a4a1c-5b5e-4b6e-9d3c-2f7f1a0b1c2d',
  version: 3,
  experimentTemplate: {
    inputs: [
      input('{RANDOM_SEED}', 'LONG', '1'),
      input('Population', 'INTEGER', '763'),
      input('Initially infected', 'INTEGER', '1'),
      input('Contact rate', 'DOUBLE', '1.660', 'PER_DAY'),
      input('Recovery rate', 'DOUBLE', '0.44', 'PER_DAY'),
      input('Days', 'INTEGER', '14', 'DAY'),
      input('Stochastic', 'BOOLEAN', 'false'),
      input('Observed cases', 'INPUT_FILE', ''),
      input('Title', 'STRING', 'none'),
      input('Begin', 'DATE_TIME', '1978-01-22T00:00'),
      input('Budget', 'LONG', '1000'),
    ],
    outputs: [
      output('Fit error', 'DOUBLE'),
      output('Peak day', 'DOUBLE'),
      output('Infected', 'DATA_SET'),
      output('Trajectory', 'OUTPUT_FILE'),
    ],
  },
};

function experiment(name: string, inputs: InputItem[]): Experiment {
  return { uuid: `uuid of ${name}`, modelVersion: version.id, name, type: 'SIMULATION', inputs };
}

export const experiments: Experiment[] = [
  experiment('Baseline', [input('Days', 'INTEGER', '21'), input('Contact rate', 'DOUBLE', '2.0')]),
  experiment('Sweep', [
    input('Contact rate', 'FIXED_RANGE_DOUBLE', '{"min":1,"max":2,"step":1}'),
    input('Days', 'INTEGER', '7'),
  ]),
];

export const epidemic: ModelFacts = { name: 'Epidemic', version, experiments };

/** The same model without {RANDOM_SEED}. */
export const seedless: ModelFacts = {
  ...epidemic,
  version: {
    ...version,
    experimentTemplate: {
      ...version.experimentTemplate,
      inputs: version.experimentTemplate.inputs.filter(({ name }) => name !== '{RANDOM_SEED}'),
    },
  },
};

export const HEAD = 'campaign: flu\nmodel: {name: Epidemic}\n';

export function check(text: string, facts: ModelFacts = epidemic): CheckedDefinition {
  const read = readDefinition(text, FILE);
  const checked = checkDefinition(read, facts);
  read.mistakes.throwAny();
  return checked;
}

/** Checks a definition. Adds its first two lines, so that a test shows only the relevant lines. */
export function checkBody(body: string, facts: ModelFacts = epidemic): CheckedDefinition {
  return check(HEAD + body, facts);
}

/**
 * Expects that foray refuses a definition. A `§` in the text marks the place that the error must name. The `§` is
 * removed before foray reads the text.
 */
export function expectRefused(
  marked: string,
  { code, says, hint, facts }: { code: ErrorCode; says: RegExp; hint?: RegExp; facts?: ModelFacts },
): ForayError {
  const before = marked.split('§')[0]!;
  expect(marked.split('§')).toHaveLength(2);
  const place = {
    file: FILE,
    line: before.split('\n').length,
    column: before.length - before.lastIndexOf('\n'),
  };
  const error = thrownBy(() => check(marked.replace('§', ''), facts));
  const { text, line, column, file } = error.place as LinePlace;
  expect({ code: error.code, place: { file, line, column } }).toEqual({ code, place });
  expect(text).toBe(marked.replace('§', '').split(/\r?\n/)[place.line - 1]);
  expect(error.message).toMatch(says);
  if (hint) expect(error.hint).toMatch(hint);
  expectOneLine(error);
  expect(error.toLine().startsWith(`${FILE}:${place.line}:${place.column}: ${error.message}`)).toBe(true);
  return error;
}

/** Like {@link expectRefused}. Adds the first two lines to the body of a definition. */
export function refused(
  code: ErrorCode,
  body: string,
  says: RegExp,
  hint?: RegExp,
  facts: ModelFacts = epidemic,
): void {
  expectRefused(HEAD + body, { code, says, facts, ...(hint && { hint }) });
}

export function expectOneLine(error: ForayError): void {
  // oxlint-disable-next-line no-control-regex
  expect(error.toLine()).not.toMatch(/[\x00-\x1f\x7f\u2028\u2029]/);
}

export function thrownBy(act: () => unknown): ForayError {
  try {
    act();
  } catch (error) {
    if (isForayError(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

export function valueOf(checked: CheckedDefinition, name: string): string {
  return checked.base.find((input) => input.name === name)!.value;
}
