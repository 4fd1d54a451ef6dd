import { z } from 'zod';
import { outputTypes, systemInputs, unitNames, units as unitsOf } from '../../api/constants.ts';
import type { Experiment, InputItem, Version } from '../../api/resources.ts';
import { canonicalValue, nameKey } from '../../api/values.ts';
import { stableUuid } from './ids.ts';
import { modelInputTypes } from './model.ts';

const name = z.string().trim().min(1).max(200);
const units = z.enum(unitNames).nullable().default(null);
const pixels = z.int().min(1).max(10_000);
const value = z.union([z.string(), z.number(), z.boolean()]);

/** The part of a model definition that is data: everything but its code. */
export const Declaration = z
  .strictObject({
    name,
    description: z.string(),
    published: z.boolean().default(false),
    inputs: z.array(z.strictObject({ name, type: z.enum(modelInputTypes), units, default: value })),
    outputs: z.array(z.strictObject({ name, type: z.enum(outputTypes), units })),
    experiments: z
      .array(z.strictObject({ name, type: z.literal('SIMULATION'), inputs: z.record(z.string(), value) }))
      .default([]),
    animation: z
      .strictObject({
        width: pixels,
        height: pixels,
        units: z.enum(unitsOf.time),
        speed: z.number().positive().default(1),
      })
      .optional(),
  })
  .superRefine((declaration, context) => {
    const complain = (message: string) => context.addIssue({ code: 'custom', message });
    for (const list of ['inputs', 'outputs', 'experiments'] as const) {
      const seen = new Set<string>();
      for (const { name } of declaration[list]) {
        if (seen.has(nameKey(name))) complain(`${list} has "${name}" twice`);
        seen.add(nameKey(name));
      }
    }
    for (const input of declaration.inputs) {
      if (input.name.startsWith('{') && !(systemInputs as readonly string[]).includes(input.name)) {
        complain(`"${input.name}" is not a system input`);
      }
      complainOfValue(`the default of "${input.name}"`, () => canonicalValue(input.type, input.default));
    }
    for (const experiment of declaration.experiments) {
      for (const [given, raw] of Object.entries(experiment.inputs)) {
        const input = declaration.inputs.find((input) => nameKey(input.name) === nameKey(given));
        if (!input) complain(`experiment "${experiment.name}" sets "${given}", which is no input`);
        else
          complainOfValue(`"${given}" of experiment "${experiment.name}"`, () =>
            canonicalValue(input.type, raw),
          );
      }
    }

    function complainOfValue(what: string, read: () => unknown): void {
      try {
        read();
      } catch (error) {
        complain(`${what} ${(error as Error).message}`);
      }
    }
  });
export type Declaration = z.infer<typeof Declaration>;
/** The part of how a model is drawn that is data. */
export type AnimationDeclaration = NonNullable<Declaration['animation']>;

/** Specification 2.2: the template of a version. */
export function templateOf({ inputs, outputs }: Declaration): Version['experimentTemplate'] {
  return {
    inputs: inputs.map(({ name, type, units, default: value }) => ({
      name,
      type,
      units,
      value: canonicalValue(type, value),
    })),
    outputs: outputs.map(({ name, type, units }) => ({ name, type, units, value: null })),
    dashboard: {},
  };
}

/** Specification 2.4: the stored experiments of a version, each with the full list of inputs. */
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
      inputs: inputs.map(({ name, type, units, default: value }): InputItem => {
        const setting = settings.get(nameKey(name)) ?? value;
        return { name, type, units, value: canonicalValue(type, setting) };
      }),
    };
  });
}
