import type { OutputDescriptor, Outputs, OutputsTemplate } from '../../api/resources.ts';
import { nameKey } from '../../api/values.ts';
import { ServiceError } from '../errors.ts';
import type { OutputTexts } from './repository.ts';

/**
 * The outputs of a single run (specification 2.5, rule 1), those that the template names in its order; an empty
 * template stands for all.
 *
 * @throws ServiceError UNKNOWN_OUTPUT naming an output that the version does not have
 */
export function shapeOutputs(
  descriptors: readonly OutputDescriptor[],
  template: OutputsTemplate,
  texts: OutputTexts,
): Outputs {
  const byName = new Map(descriptors.map((descriptor) => [nameKey(descriptor.name), descriptor]));
  const names = template.flatMap(({ outputs }) => outputs ?? []).map(({ name }) => name);
  const wanted = names.map((name) => {
    const descriptor = byName.get(nameKey(name));
    if (!descriptor) throw new ServiceError('UNKNOWN_OUTPUT', `The model has no output "${name}".`);
    return descriptor;
  });
  return (template.length === 0 ? descriptors : wanted).map((descriptor) => ({
    aggregationType: 'IDENTITY',
    inputs: [],
    outputs: [descriptor],
    value: texts[descriptor.name]!,
  }));
}
