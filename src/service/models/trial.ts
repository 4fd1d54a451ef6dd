import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ForayError } from '../../errors.ts';
import { ExecutorPool } from '../executors/pool.ts';
import { memoryShare } from '../executors/process.ts';
import { ContentFiles } from '../files/content.ts';
import { type Declaration, templateOf } from './declaration.ts';
import { describeModel } from './describe.ts';
import { type ModelPlace, readCode } from './folder.ts';

/** A model that was run once with its defaults. */
export interface Trial {
  declaration: Declaration;
  /** JSON text of each output's value, by name. */
  outputs: Record<string, string>;
  seconds: number;
}

export interface TrialListener {
  onProgress: (fraction: number) => void;
  /** What the model prints. */
  onPrint: (text: string) => void;
}

/**
 * Reads a model and runs it once with its defaults, in an executor as the service has them; no service need be there.
 *
 * @throws ForayError MODEL_INVALID when it is not declared as a model, or its run fails, with the reason
 */
export async function tryModel(place: ModelPlace, { onProgress, onPrint }: TrialListener): Promise<Trial> {
  const code = readCode(place);
  const declaration = await describeModel(code.entry);
  const template = templateOf(declaration);
  const filesDir = mkdtempSync(path.join(os.tmpdir(), 'foray-trial-'));
  new ContentFiles(filesDir).prepare();
  const pool = new ExecutorPool({
    filesDir,
    memory: memoryShare(1),
    onPrint,
    size: 1,
    timeout: undefined,
  });
  try {
    const inputs = Object.fromEntries(template.inputs.map(({ name, value }) => [name, value]));
    const start = performance.now();
    const outcome = await pool.execute(
      { runId: 'trial', versionId: 'trial', code, template, inputs },
      onProgress,
    );
    const seconds = (performance.now() - start) / 1_000;
    if (outcome.kind === 'completed') return { declaration, outputs: outcome.outputs, seconds };
    const reason = 'reason' in outcome ? outcome.reason : 'it was ended';
    throw new ForayError(
      'MODEL_INVALID',
      `The model "${declaration.name}" failed when it was run with its defaults: ${reason}.`,
    );
  } finally {
    await pool.close();
    rmSync(filesDir, { recursive: true, force: true });
  }
}
