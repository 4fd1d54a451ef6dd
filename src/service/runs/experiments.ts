import type { Allowed } from '../../api/allowed-values.ts';
import {
  type ExperimentType,
  type InputType,
  NUMBER_OF_REPLICATIONS,
  RANDOM_SEED,
} from '../../api/constants.ts';
import { isRange, rangeValues } from '../../api/ranges.ts';
import type { InputItem } from '../../api/resources.ts';
import { ValueError } from '../../api/values.ts';
import { ServiceError } from '../errors.ts';
import { canonicalInput, horizonOf } from '../models/system-inputs.ts';
import { checkValue } from './checked.ts';
import type { CanonicalInputs, Settings } from './identity.ts';
import { drawValue, replicationSeed } from './random.ts';

type Template = readonly InputItem[];

/**
 * The inputs of the single runs of an experiment, in their order. A parameter variation has all combinations of the
 * varied values; the first varied input of the template changes slowest. A Monte Carlo experiment has replications,
 * each with its own seed. The random values of each run are drawn from its own seed. The runs come one at a time,
 * because there may be thousands.
 *
 * @param seeds - the least and the greatest seed that the model takes
 * @throws ServiceError INVALID_VALUE with the name of the input
 */
export function* subRunsOf(
  template: Template,
  { experimentType, inputs, types }: Settings,
  seeds?: Pick<Allowed, 'min' | 'max'>,
): Generator<CanonicalInputs> {
  if (experimentType === 'MONTE_CARLO') {
    for (const replication of replicationsOf(template, inputs, seeds))
      yield singleRun(template, replication, types);
  } else {
    for (const values of variedValues({ inputs, types }))
      yield singleRun(template, { ...inputs, ...values }, types);
  }
}

/** One record for each run of a parameter variation: the values of the varied inputs, by input name. */
export function variedValues({ inputs, types }: Pick<Settings, 'inputs' | 'types'>): CanonicalInputs[] {
  let combinations: CanonicalInputs[] = [{}];
  for (const [name, type] of Object.entries(types)) {
    if (!isRange(type)) continue;
    const values = rangeValues(type, inputs[name]!);
    combinations = combinations.flatMap((outer) => values.map((value) => ({ ...outer, [name]: value })));
  }
  return combinations;
}

/**
 * The inputs of a single run. Random values are drawn from its seed. Then these and the values from ranges are checked,
 * and also whether the start and the stop of the simulated time fit together.
 *
 * @throws ServiceError INVALID_VALUE, with the name of the input if one value is invalid
 */
export function singleRun(
  template: Template,
  inputs: CanonicalInputs,
  types: Readonly<Record<string, InputType>>,
): CanonicalInputs {
  const single = { ...inputs };
  for (const [name, type] of Object.entries(types)) {
    if (!isRange(type)) single[name] = drawValue(inputs[RANDOM_SEED]!, name, type, inputs[name]!);
  }
  // a value from a range or a draw may be invalid for the input
  for (const { name, type } of template)
    if (Object.hasOwn(types, name)) checkValue(name, () => canonicalInput(name, type, single[name]!));
  try {
    horizonOf(template, single);
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw new ServiceError('INVALID_VALUE', error.message);
  }
  return single;
}

function* replicationsOf(
  template: Template,
  inputs: CanonicalInputs,
  seeds?: Pick<Allowed, 'min' | 'max'>,
): Generator<CanonicalInputs> {
  // a single run has only the inputs of the template. If these include the number of replications, it has its default
  const own = Object.fromEntries(
    template.map(({ name, value }) => [name, name === NUMBER_OF_REPLICATIONS ? value : inputs[name]!]),
  );
  for (let n = 1; n <= Number(inputs[NUMBER_OF_REPLICATIONS]); n += 1) {
    yield { ...own, [RANDOM_SEED]: replicationSeed(inputs[RANDOM_SEED]!, n, seeds) };
  }
}

/** The name of a sub-run in messages: its number, and the inputs that distinguish it. */
export function subRunTitle(
  parent: { tasks: number | null; experimentType: ExperimentType; types: Settings['types'] },
  position: number,
  inputs: CanonicalInputs,
): string {
  const own =
    parent.experimentType === 'MONTE_CARLO'
      ? [RANDOM_SEED]
      : Object.keys(parent.types).filter((name) => isRange(parent.types[name]!));
  const values = own.map((name) => `${name} = ${inputs[name]}`).join(', ');
  return `sub-run ${position + 1} of ${parent.tasks}${values && ` (${values})`}`;
}
