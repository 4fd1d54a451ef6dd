import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { ExecutorPool } from '../../src/service/executors/pool.ts';
import { ContentFiles } from '../../src/service/files/content.ts';
import { readCommandModel } from '../../src/service/models/command.ts';
import { templateOf } from '../../src/service/models/declaration.ts';
import { findModels, readCode } from '../../src/service/models/folder.ts';
import type { Part } from '../report.ts';

/** The model that `foray models new --command` writes. */
const MODEL = resolve(import.meta.dirname, '../../src/cli/scaffold/command');
const MOST_TIMES = 1.2;
const MOST_MORE = 20;

interface Row {
  customers: number;
  /** The median time of the command without foray, ms. */
  alone: number;
  /** The median time of a run of the model, ms. */
  model: number;
}

/** Measures two cases in turns: a run of a command model, and the same command without foray. */
export async function commandPart(rounds: number, median: (values: number[]) => number): Promise<Part<Row>> {
  const code = await readCode(findModels(MODEL)[0]!);
  const template = templateOf(readCommandModel(code.entry).declaration);
  const filesDir = mkdtempSync(join(tmpdir(), 'foray-bench-'));
  new ContentFiles(filesDir).prepare();
  const pool = new ExecutorPool({ filesDir, memory: 1_000, onLine: () => {}, size: 1, timeout: undefined });
  let runs = 0;
  const asModel = async (inputs: Record<string, string>): Promise<void> => {
    const job = { runId: String(runs++), versionId: 'bench', code, template, inputs };
    const outcome = await pool.execute(job, () => {});
    if (outcome.kind !== 'completed') throw new Error(`the model did not run: ${JSON.stringify(outcome)}`);
  };
  try {
    const rows: Row[] = [];
    for (const customers of [1, 100_000]) {
      const inputs = Object.fromEntries(template.inputs.map(({ name, value }) => [name, value]));
      inputs['Customers'] = String(customers);
      const json = JSON.stringify(
        Object.fromEntries(Object.entries(inputs).map(([name, value]) => [name, Number(value)])),
      );
      // the first round starts the executor and fills the disk cache
      await timed(() => alone(json));
      await timed(() => asModel(inputs));
      const took = { alone: [] as number[], model: [] as number[] };
      for (let round = 0; round < rounds; round++) {
        took.alone.push(await timed(() => alone(json)));
        took.model.push(await timed(() => asModel(inputs)));
      }
      rows.push({ customers, alone: median(took.alone), model: median(took.model) });
    }
    return {
      name: 'command',
      title: 'a run of a command model in Python, compared with the command alone, ms',
      rows,
      columns: [
        { title: 'customers', of: (row) => row.customers },
        { title: 'alone', of: (row) => row.alone, digits: 1 },
        { title: 'as a model', of: (row) => row.model, digits: 1 },
      ],
      goals: rows.map((row) => ({
        what: `${row.customers.toLocaleString('en')} customers: (time as a model - ${MOST_MORE} ms) / time of the command alone`,
        figure: (row.model - MOST_MORE) / row.alone,
        most: MOST_TIMES,
      })),
    };
  } finally {
    await pool.close();
    rmSync(filesDir, { recursive: true, force: true });
  }
}

async function alone(json: string): Promise<void> {
  const child = spawn('python3', [join(MODEL, 'sim.py')], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(json);
  const [said] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (!said.includes('outputs')) throw new Error('the command did not run');
}

async function timed(act: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}
