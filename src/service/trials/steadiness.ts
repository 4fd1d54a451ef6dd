import { RANDOM_SEED } from '../../api/constants.ts';
import type { ExecutorPool } from '../executors/pool.ts';
import type { Job } from '../executors/protocol.ts';
import type { Declaration } from '../models/declaration.ts';

/** The values of outputs by name; undefined if the run did not complete. */
type Texts = Record<string, string> | undefined;

export interface SteadinessParts {
  declaration: Declaration;
  job: Job;
  /** The outputs of the job in a process of its own. */
  outputs: Record<string, string>;
  pool: ExecutorPool;
  /** Executes a run with another order of Python's sets; undefined if the user has set the order. */
  otherHash: ExecutorPool | undefined;
  /** Whether the model stays loaded between runs. */
  staysLoaded: boolean;
  /** How many different runs to compare, at most. */
  most: number;
}

/**
 * Says how outputs depend on something else than the inputs: on the process, on the order of Python's sets, or on
 * earlier runs of the process. Each of several runs executes in a process of its own. One of them executes again in
 * other processes, and all of them in one process, forwards and backwards. Undefined if all values are equal.
 */
export async function unsteadinessOf(parts: SteadinessParts): Promise<string | undefined> {
  const { declaration, job, outputs, pool, otherHash, staysLoaded, most } = parts;
  const inNewProcess = (inputs: Job['inputs'], where = pool): Promise<Texts> => {
    where.renew();
    return executed(where, { ...job, inputs });
  };
  const again = differs(outputs, await inNewProcess(job.inputs));
  if (again) return `in two processes with the same inputs: ${again}`;
  const hashed = otherHash && differs(outputs, await inNewProcess(job.inputs, otherHash));
  if (hashed) return `with another order of Python's sets (PYTHONHASHSEED): ${hashed}`;
  if (!staysLoaded) return undefined;
  const cases: { inputs: Job['inputs']; alone: Texts }[] = [{ inputs: job.inputs, alone: outputs }];
  for (const inputs of variants(declaration, job.inputs).slice(0, most - 1)) {
    const alone = await inNewProcess(inputs);
    if (alone) cases.push({ inputs, alone });
  }
  pool.renew();
  for (const { inputs, alone } of [...cases, ...cases.toReversed(), cases[0]!]) {
    const found = differs(alone, await executed(pool, { ...job, inputs }));
    if (found) return `after other runs of the same process, and in a process of its own: ${found}`;
  }
  return undefined;
}

async function executed(pool: ExecutorPool, job: Job): Promise<Texts> {
  const outcome = await pool.execute(job, () => {});
  return outcome.kind === 'completed' ? outcome.outputs : undefined;
}

/** The first output with different values, with both values. A run that did not complete has no values. */
function differs(one: Texts, other: Texts): string | undefined {
  if (one === undefined || other === undefined) return undefined;
  const name = Object.keys(one).find((name) => one[name] !== other[name]);
  return name === undefined ? undefined : `"${name}" is ${shown(one[name]!)} and ${shown(other[name]!)}`;
}

function shown(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

/** Inputs with another seed, with another value of one input, and with both. */
function variants({ inputs }: Declaration, values: Job['inputs']): Job['inputs'][] {
  const seed = inputs.find(({ name }) => name === RANDOM_SEED);
  const first = inputs.find(
    (input) => !input.name.startsWith('{') && otherValue(input, values) !== undefined,
  );
  const changes = [seed, first].flatMap((input) => {
    const value = input && otherValue(input, values);
    return value === undefined ? [] : [{ [input!.name]: value }];
  });
  const each = changes.map((change) => ({ ...values, ...change }));
  return changes.length > 1 ? [...each, { ...values, ...changes[0], ...changes[1] }] : each;
}

/** Another value that an input may have; undefined if none is known. */
function otherValue(
  { name, type, values, min = -Infinity, max = Infinity }: Declaration['inputs'][number],
  given: Job['inputs'],
): string | undefined {
  const now = given[name]!;
  if (values) return values.map(String).find((value) => value !== now);
  switch (type) {
    case 'BOOLEAN':
      return now === 'true' ? 'false' : 'true';
    case 'DOUBLE': {
      const value = Number(now);
      return [value + 1, value - 1, (value + max) / 2, (value + min) / 2]
        .find((other) => Number.isFinite(other) && other !== value && other >= min && other <= max)
        ?.toString();
    }
    case 'INTEGER':
    case 'LONG':
      return [BigInt(now) + 1n, BigInt(now) - 1n].find((other) => other >= min && other <= max)?.toString();
    default:
      return undefined;
  }
}
