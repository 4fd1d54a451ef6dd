import { RANDOM_SEED } from '../../api/constants.ts';
import type { Outcome } from '../executors/execution.ts';
import type { ExecutorPool } from '../executors/pool.ts';
import type { Job, Left } from '../executors/protocol.ts';
import { allowedOf } from '../models/allowed-values.ts';
import type { KeptCommand } from '../models/command.ts';
import type { DeclaredInput, Declaration } from '../models/declaration.ts';

type Result = Extract<Outcome, { kind: 'completed' | 'failed' }> | undefined;

export interface SteadinessParts {
  declaration: Declaration;
  /** The run. It is alone: it has a process of its own, which ends after it. */
  job: Job;
  /** Its outputs. */
  outputs: Record<string, string>;
  pool: ExecutorPool;
  /** Executes a run with another order of Python's sets; undefined if the user has set the order. */
  otherHash: ExecutorPool | undefined;
  /** The program of the model; undefined for a module, which the executor itself loads. */
  program: Pick<KeptCommand, 'loop'> | undefined;
  /** How many different runs to compare, at most. */
  most: number;
}

/** What the runs of a check have shown. */
export interface Steadiness {
  /** How outputs depend on something else than the inputs; undefined if all results are equal. */
  difference?: string;
  /** What further runs of the same process have left. */
  left: Left[];
}

/**
 * Says how outputs depend on something else than the inputs: on the process, on the order of Python's sets, or on
 * earlier runs of the process. Each of several runs executes in a process of its own. One of them executes again in
 * another executor, and all of them in one process, forwards and backwards.
 */
export async function steadinessOf(parts: SteadinessParts): Promise<Steadiness> {
  const { declaration, job, outputs, pool, otherHash, program, most } = parts;
  const left: Left[] = [];
  const first: Result = { kind: 'completed', outputs };
  // this run has another process as well as another order: if nothing differs, neither matters
  const byOrder = otherHash && differs(first, await executed(otherHash, job));
  if (byOrder || !otherHash) {
    // this run has only another process, so a difference does not come from the order
    pool.renew();
    const byProcess = differs(first, await executed(pool, job));
    if (byProcess) return { difference: `in two processes with the same inputs: ${byProcess}`, left };
  }
  if (byOrder)
    return { difference: `with another order of Python's sets (PYTHONHASHSEED): ${byOrder}`, left };
  if (program?.loop === false) return { left };
  /** Different inputs, and the result with each in a process of its own. */
  const cases: { inputs: Job['inputs']; alone: Result }[] = [{ inputs: job.inputs, alone: first }];
  for (const inputs of variants(declaration, job.inputs).slice(0, most - 1)) {
    // a new executor costs as much as a new process of a program
    if (!program) pool.renew();
    const alone = await executed(pool, { ...job, inputs });
    if (alone?.kind === 'completed') cases.push({ inputs, alone });
  }
  if (!program) pool.renew();
  for (const { inputs, alone } of [...cases, ...cases.toReversed(), cases[0]!]) {
    const result = await executed(pool, { ...job, inputs, isAlone: false });
    const found = differs(alone, result);
    if (found) {
      const difference = `after other runs of the same process, and in a process of its own: ${found}`;
      return { difference, left };
    }
    if (result?.kind === 'completed' && result.left) left.push(result.left);
  }
  return { left };
}

/** The result of a run; undefined if the model is not the reason why it did not complete. */
async function executed(pool: ExecutorPool, job: Job): Promise<Result> {
  const outcome = await pool.execute(job, () => {});
  return outcome.kind === 'completed' || outcome.kind === 'failed' ? outcome : undefined;
}

/** The first output with different values, with both values; or why only one of the runs completed. */
function differs(one: Result, other: Result): string | undefined {
  if (one?.kind !== 'completed' || !other) return undefined;
  if (other.kind === 'failed') return `one run gave outputs, and the other failed: ${other.reason}`;
  const name = Object.keys(one.outputs).find((name) => one.outputs[name] !== other.outputs[name]);
  return name === undefined
    ? undefined
    : `"${name}" is ${shown(one.outputs[name]!)} and ${shown(other.outputs[name]!)}`;
}

function shown(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

/** Inputs with another seed, with another first input, and with another seed and other values of further inputs. */
function variants({ inputs }: Declaration, values: Job['inputs']): Job['inputs'][] {
  // of the system inputs, only the seed may change: the others say when the run begins and ends
  const changes = inputs
    .filter(({ name }) => name === RANDOM_SEED || !name.startsWith('{'))
    .map((input) => [input.name, otherValue(input, values)] as const)
    .filter((change): change is [string, string] => change[1] !== undefined);
  const seed = changes.filter(([name]) => name === RANDOM_SEED);
  const own = changes.filter(([name]) => name !== RANDOM_SEED);
  const first = own.slice(0, 1);
  const others = own.length > 1 ? own.slice(1) : first;
  const sets = [seed, first, [...seed, ...others]].filter((set) => set.length > 0);
  // with few inputs, some sets of changes are the same
  const different = new Map(sets.map((set) => [JSON.stringify(set), set]));
  return [...different.values()].map((set) => ({ ...values, ...Object.fromEntries(set) }));
}

/** Another canonical value that an input may have; undefined if none is known. */
function otherValue(input: DeclaredInput, given: Job['inputs']): string | undefined {
  const { values, min = -Infinity, max = Infinity } = allowedOf(input);
  const now = given[input.name]!;
  if (values) return values.find((value) => value !== now);
  switch (input.type) {
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
    case 'STRING':
    case 'DATE_TIME':
    case 'INPUT_FILE':
      return undefined;
  }
}
