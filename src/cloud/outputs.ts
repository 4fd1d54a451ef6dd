import { byName, type Outputs, type OutputsTemplate, type OutputType, type Unit } from '../api/index.ts';

/** Makes the template that requests outputs of a single run (specification 2.7). */
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

/** The values of a single run by output name, as the service sent them (specification 2.5, rule 1). */
export function valuesOf(outputs: Outputs): Record<string, string> {
  return byName(
    Object.fromEntries(
      outputs.flatMap(({ outputs: [descriptor], value }) => (descriptor ? [[descriptor.name, value]] : [])),
    ),
  );
}

/** The longest reason of a failed run that foray keeps, in characters. */
export const LONGEST_REASON = 1_000;

/**
 * The reason of a failure in a message. foray's service sends the reason as the title of a JSON message. Other services
 * may send plain text.
 */
export function reasonIn(message: string | null): string {
  if (!message) return 'the service gave no reason';
  try {
    const { title } = JSON.parse(message) as { title?: unknown };
    return typeof title === 'string' && title !== '' ? title : 'the service gave no reason';
  } catch {
    return message;
  }
}
