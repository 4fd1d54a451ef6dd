import type { Outputs, OutputsTemplate, OutputType, Unit } from '../api/index.ts';

/** The outputs template that asks a single run for outputs (specification 2.7). */
export function templateOf(
  outputs: readonly { name: string; type: OutputType; units: Unit | null }[],
): OutputsTemplate {
  return outputs.map(({ name, type, units }) => ({
    aggregationType: 'IDENTITY' as const,
    inputs: [],
    outputs: [{ name, type, units, value: null }],
    value: '',
  }));
}

/** Values of a single run by output name, each as the service gave it (specification 2.5, rule 1). */
export function valuesOf(outputs: Outputs): Record<string, string> {
  return Object.fromEntries(
    outputs.flatMap(({ outputs: [descriptor], value }) => (descriptor ? [[descriptor.name, value]] : [])),
  );
}
