import * as z from 'zod';
import {
  type InputType,
  isNumericType,
  LONGEST_UNIT,
  outputTypes,
  type SystemInput,
  units as unitsOf,
} from '../../api/constants.ts';
import { rangeTypes } from '../../api/ranges.ts';
import type { Experiment, InputItem, Version } from '../../api/resources.ts';
import { nameKey } from '../../api/values.ts';
import { ForayError } from '../../errors.ts';
import { checkAllowed } from './allowed-values.ts';
import { stableUuid } from './ids.ts';
import { modelInputTypes, settableTypes } from './model.ts';
import { canonicalInput, isModelTime, systemInputTypes } from './system-inputs.ts';

const name = z
  .string()
  .trim()
  .min(1, 'a name is expected')
  .max(200, 'a name has at most 200 characters')
  .regex(/^\P{Cc}*$/u, 'a name has no line breaks or other control characters');
const units = z
  .string('a unit such as MINUTE, or another text, is expected')
  .trim()
  .min(1, 'a unit is expected')
  .max(LONGEST_UNIT, `a unit has at most ${LONGEST_UNIT} characters`)
  .regex(/^\P{Cc}*$/u, 'a unit has no line breaks or other control characters')
  .nullable()
  .default(null);
const pixels = z.int().min(1).max(10_000);
const size = z.number().positive();
const viewArea = z.strictObject({ name, x: z.number(), y: z.number(), width: size, height: size });
const value = z.union([z.string(), z.number(), z.boolean()], {
  error: 'a text, a number, true or false is expected',
});
const bound = z.union([z.number(), z.string()]);
const range = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.enum(['FIXED_RANGE_DOUBLE', 'FIXED_RANGE_INTEGER', 'FIXED_RANGE_LONG']),
    min: bound,
    max: bound,
    step: bound,
  }),
  z.strictObject({ type: z.literal('FULL_RANGE_BOOLEAN') }),
]);

/** The animation of a model, without its code. */
const animation = z
  .strictObject({
    width: pixels,
    height: pixels,
    units: z.enum(unitsOf.time),
    speed: z.number().positive().default(1),
    viewAreas: z.array(viewArea).optional(),
    values: z
      .array(
        z.strictObject({
          name,
          type: z.enum(outputTypes).exclude(['OUTPUT_FILE']),
          units,
          settable: z.boolean().optional(),
        }),
      )
      .optional(),
    functions: z.array(z.strictObject({ name, parameters: z.array(name).optional() })).optional(),
  })
  .superRefine(({ viewAreas = [], values = [], functions = [] }, context) => {
    const complain = complainTo(context);
    complainOfRepeats({ viewAreas, values, functions }, complain);
    for (const [index, { name, type, settable }] of values.entries()) {
      if (!settable || settableTypes.some((known) => known === type)) continue;
      complain(['values', index, 'settable'], `the value "${name}" cannot be settable: its type is ${type}`);
    }
  });

/** The name of something that a model may need and a machine may have, such as `gpu` or `python3.12`. */
export const label = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9_.+-]*$/,
    'a label has letters, digits and _ . + - and begins with a letter or digit',
  );

const axis = z.strictObject({
  name: name.optional(),
  units,
  scale: z.enum(['linear', 'log']).optional(),
  start: z.iso.date('a date such as 2026-01-31 is expected').optional(),
});

/** The part of a model definition that is data: everything but its code. */
export const Declaration = z
  .strictObject({
    name,
    description: z.string(),
    published: z.boolean().default(false),
    inputs: z.array(
      z.strictObject({
        name,
        type: z.enum(modelInputTypes),
        units,
        default: value,
        min: z.number().optional(),
        max: z.number().optional(),
        values: z.array(value).min(1).optional(),
      }),
    ),
    outputs: z.array(z.strictObject({ name, type: z.enum(outputTypes), units, axis: axis.optional() })),
    experiments: z
      .array(
        z.discriminatedUnion('type', [
          z.strictObject({ name, type: z.literal('SIMULATION'), inputs: z.record(z.string(), value) }),
          z.strictObject({
            name,
            type: z.literal('PARAMETER_VARIATION'),
            inputs: z.record(z.string(), z.union([value, range])),
          }),
        ]),
      )
      .default([]),
    animation: animation.optional(),
    needs: z.array(label).optional(),
  })
  .superRefine(({ inputs, outputs, experiments }, context) => {
    const complain = complainTo(context);
    complainOfRepeats({ inputs, outputs, experiments }, complain);
    for (const [index, input] of inputs.entries()) complainOfInput(input, ['inputs', index], complain);
    for (const [index, output] of outputs.entries()) {
      complainOfOutput(output, outputs, ['outputs', index], complain);
    }
    for (const [index, experiment] of experiments.entries()) {
      complainOfSettings(experiment, inputs, ['experiments', index, 'inputs'], complain);
    }
  });
export type Declaration = z.infer<typeof Declaration>;
export type DeclaredInput = Declaration['inputs'][number];
type DeclaredOutput = Declaration['outputs'][number];
export type AnimationDeclaration = NonNullable<Declaration['animation']>;
type Setting = z.infer<typeof value> | z.infer<typeof range>;

/** Notes what is wrong with the part of a declaration that has this path. */
type Complain = (path: PropertyKey[], message: string) => void;

function complainTo(context: z.RefinementCtx): Complain {
  return (path, message) => context.addIssue({ code: 'custom', path, message });
}

function complainOfRepeats(lists: Record<string, readonly { name: string }[]>, complain: Complain): void {
  for (const [list, items] of Object.entries(lists)) {
    const seen = new Set<string>();
    for (const [index, { name }] of items.entries()) {
      if (seen.has(nameKey(name))) complain([list, index, 'name'], `${list} has "${name}" twice`);
      seen.add(nameKey(name));
    }
  }
}

function complainOfInput(input: DeclaredInput, path: PropertyKey[], complain: Complain): void {
  const { name, type, units, min, max, values = [] } = input;
  if (name.startsWith('{')) {
    const wanted = systemInputTypes[name as SystemInput] as InputType | undefined;
    if (!wanted) complain([...path, 'name'], `"${name}" is not a system input`);
    else if (type !== wanted) complain([...path, 'type'], `"${name}" must be of the type ${wanted}`);
    // without units, a model time is in seconds
    if (isModelTime(name) && units !== null && !isTimeUnit(units)) {
      const choice = unitsOf.time.join(', ');
      complain([...path, 'units'], `"${name}" is a time: its units must be one of ${choice}`);
    }
  }
  if ((min !== undefined || max !== undefined) && !isNumericType(type)) {
    complain(path, `"${name}" has no least or greatest value: its type is ${type}`);
  }
  if (type === 'INPUT_FILE' && input.default !== '') {
    complain([...path, 'default'], `"${name}" is a file that a request gives: its default must be ''`);
  }
  if (min !== undefined && max !== undefined && min > max) {
    complain([...path, 'max'], `the greatest value of "${name}" is less than its least value`);
  }
  for (const [at, value] of values.entries()) {
    complainOfValue([...path, 'values', at], `the value of "${name}"`, complain, () =>
      checkAllowed({ type, min, max }, canonicalInput(name, type, value)),
    );
  }
  complainOfValue([...path, 'default'], `the default of "${name}"`, complain, () =>
    checkAllowed(input, canonicalInput(name, type, input.default)),
  );
}

function complainOfOutput(
  { name, type, axis }: DeclaredOutput,
  outputs: readonly DeclaredOutput[],
  path: PropertyKey[],
  complain: Complain,
): void {
  if (axis && type !== 'DATA_SET') {
    const why = `its type is ${type}, and only a DATA_SET is a curve`;
    complain([...path, 'axis'], `"${name}" has no x axis: ${why}`);
  }
  if (axis?.start !== undefined && axis.scale === 'log') {
    const message = 'an axis with a start shows dates, and an axis of dates is linear';
    complain([...path, 'axis', 'scale'], message);
  }
  if (axis?.start !== undefined && !isTimeUnit(axis.units)) {
    const message = `an axis with a start has units of time: one of ${unitsOf.time.join(', ')}`;
    complain([...path, 'axis', 'start'], message);
  }
  const chart = name.split('|', 1)[0]!;
  const isItem = chart !== name;
  if (isItem && outputs.some((other) => nameKey(other.name) === nameKey(chart))) {
    complain([...path, 'name'], `"${chart}" is an output, and also the chart of the item "${name}"`);
  }
}

/** Complains of the inputs that an experiment sets. */
function complainOfSettings(
  { name, inputs: settings }: Declaration['experiments'][number],
  inputs: readonly DeclaredInput[],
  path: PropertyKey[],
  complain: Complain,
): void {
  const seen = new Set<string>();
  for (const [given, setting] of Object.entries(settings)) {
    const at = [...path, given];
    const input = inputs.find((input) => nameKey(input.name) === nameKey(given));
    const what = `"${given}" of experiment "${name}"`;
    if (seen.has(nameKey(given))) complain(at, `experiment "${name}" sets "${given}" twice`);
    seen.add(nameKey(given));
    if (!input) complain(at, `experiment "${name}" sets "${given}", which is not an input`);
    else if (isWrongRange(input.type, setting))
      complain(at, `${what} is a range, which does not fit ${input.type}`);
    else
      complainOfValue(at, what, complain, () => {
        const { value } = settingItem(input, setting);
        // the values in a range are checked when a run is requested with them
        if (typeof setting !== 'object') checkAllowed(input, value);
      });
  }
}

function complainOfValue(path: PropertyKey[], what: string, complain: Complain, check: () => void): void {
  try {
    check();
  } catch (error) {
    complain(path, `${what} ${(error as Error).message}`);
  }
}

function isTimeUnit(units: string | null): boolean {
  return unitsOf.time.some((known) => known === units);
}

/** Whether a setting is a range, and not one for inputs of this type. */
function isWrongRange(type: InputType, setting: Setting): boolean {
  return typeof setting === 'object' && setting.type !== rangeTypes[type as keyof typeof rangeTypes];
}

/**
 * Checks that campaigns can use all inputs of a model. `foray models check` and a push check this, and the start of a
 * service does not: a model that is already in its folders stays usable by other clients.
 *
 * @throws ForayError MODEL_INVALID
 */
export function checkInputNames({ name, inputs }: Declaration): void {
  if (!inputs.some((input) => input.name === '__proto__')) return;
  throw new ForayError(
    'MODEL_INVALID',
    `The model "${name}" has an input "__proto__". A definition of a campaign cannot use this name.`,
    { hint: 'Give the input another name.' },
  );
}

/** The template of a version (API specification, 2.2). */
export function templateOf({ inputs, outputs }: Declaration): Version['experimentTemplate'] {
  return {
    inputs: inputs.map(({ name, type, units, default: value }) => ({
      name,
      type,
      units,
      value: canonicalInput(name, type, value),
    })),
    outputs: outputs.map(({ name, type, units, axis }) => ({
      name,
      type,
      units,
      value: null,
      ...(axis && { axis }),
    })),
    dashboard: {},
  };
}

/** The stored experiments of a version, each with the full list of inputs (API specification, 2.4). */
export function experimentsOf({ inputs, experiments }: Declaration, versionId: string): Experiment[] {
  return experiments.map((experiment) => {
    const settings = new Map(
      Object.entries(experiment.inputs).map(([name, value]) => [nameKey(name), value]),
    );
    return {
      uuid: stableUuid('experiment', versionId, experiment.name),
      modelVersion: versionId,
      name: experiment.name,
      type: experiment.type,
      inputs: inputs.map((input) => settingItem(input, settings.get(nameKey(input.name)) ?? input.default)),
    };
  });
}

/** An input with its value in an experiment, in the form of a request. */
function settingItem({ name, type, units }: DeclaredInput, setting: Setting): InputItem {
  if (typeof setting !== 'object') return { name, type, units, value: canonicalInput(name, type, setting) };
  const { type: rangeType, ...bounds } = setting;
  return { name, type: rangeType, units, value: canonicalInput(name, rangeType, JSON.stringify(bounds)) };
}
