import type { Outputs, OutputsTemplate } from '../api/index.ts';
import type { Campaign } from '../campaign/types.ts';

/** The outputs template that asks for a campaign's outputs (specification 2.7). */
export function templateOf({ outputs }: Pick<Campaign, 'outputs'>): OutputsTemplate {
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
