import type { OutsideMethod } from '../../../src/campaign/search/search.ts';
import type { Run } from '../in-memory.ts';

/** The method of a search whose optimiser is a script in this folder. */
export function outside(script: string, options: Record<string, unknown> = {}): OutsideMethod {
  const files = { [script]: '' };
  return { command: ['python3', script], folder: import.meta.dirname, files, options, timeout: 60_000 };
}

/** A run of a model whose output `f` is lowest at x = 1, y = 2. */
export const parabola: Run = ([x, y]) => ({ f: String((x! - 1) ** 2 + (y! - 2) ** 2), g: String(x!) });

export const BOX = { x: { min: -5, max: 10, digits: 3 }, y: { min: 0, max: 15, digits: 3 } };
