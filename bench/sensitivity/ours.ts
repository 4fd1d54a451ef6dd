import { readFileSync } from 'node:fs';
import { sobolIndices } from '../../src/sensitivity/sobol-indices.ts';

/**
 * `node ours.ts FILE INPUTS POINTS SCRAMBLES` computes Sobol' indices from the values in a file of doubles. It prints
 * the indices, the time and the memory.
 */
const [file, ...counts] = process.argv.slice(2) as [string, ...string[]];
const [count, points, scrambles] = counts.map(Number) as [number, number, number];
const bytes = readFileSync(file);
const values = new Float64Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 8);
const inputs = Array.from({ length: count }, (_, at) => `x${at + 1}`);
const from = performance.now();
const { indices } = sobolIndices({ inputs, points, scrambles, secondOrder: false }, values, 0.95);
console.log(
  JSON.stringify({
    seconds: (performance.now() - from) / 1_000,
    peakMb: process.resourceUsage().maxRSS / 1_024,
    total: indices.map(({ total }) => total),
    first: indices.map(({ first }) => first),
  }),
);
