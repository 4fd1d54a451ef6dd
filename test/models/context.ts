import type { InputDeclaration, ModelDefinition, RunContext } from '../../src/service/models/model.ts';

/**
 * Returns the argument of a model's `run` for tests without a service. Inputs that are not given have their default
 * values. The default seed is 1.
 */
export function contextOf<const I extends readonly InputDeclaration[]>(
  { inputs: declared }: Pick<ModelDefinition<I>, 'inputs'>,
  inputs: Partial<Record<I[number]['name'], unknown>>,
): RunContext<I> {
  const defaults = Object.fromEntries(declared.map((input) => [input.name, input.default]));
  const values = { ...defaults, '{RANDOM_SEED}': 1n, ...inputs } as Record<string, unknown>;
  return {
    inputs: values as RunContext<I>['inputs'],
    seed: values['{RANDOM_SEED}'] as RunContext<I>['seed'],
    horizon: { start: values['{START_TIME}'] as number, stop: values['{STOP_TIME}'] as number },
    readFile: () => null,
    writeFile: () => {
      throw new Error('this context cannot write files');
    },
    progress: () => {},
  };
}
