import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { erlangC, zOf } from '../models/kernel/support.ts';
import { foray, ROOT } from '../support/cli.ts';
import { Gallery } from '../support/gallery.ts';
import { report } from '../support/seeds.ts';

/** The entries of docs/gallery.md: their commands run as they stand there, and the results are the known numbers. */

interface Entry {
  /** The exact value of the output at a point. */
  exact: (...inputs: number[]) => number;
  /** The largest relative error; for a model with chance, the largest number of standard errors. */
  within: number;
  hasChance?: boolean;
  /** A program that must be installed beside the packages of Python. */
  needs?: [program: string, ...args: string[]];
}

const entries: Record<string, Entry> = {
  // Allen, Probability, Statistics and Queueing Theory, 5.2.3
  simpy: { exact: (rate) => erlangC(2, rate) / (2 - rate), within: 4.5, hasChance: true },
  ciw: { exact: (servers) => erlangC(servers, 2.4) / (servers - 2.4), within: 4.5, hasChance: true },
  mesa: { exact: (agents) => gini(agents), within: 4.5, hasChance: true },
  // the steps of Euler's method
  pysd: { exact: (time) => 20 + 60 * (1 - 0.125 / time) ** 240, within: 1e-9 },
  // 4 K(sin(amplitude / 2)) √(l / g), where K is the complete elliptic integral (Abramowitz and Stegun, 17.6.3)
  scipy: {
    exact: (amplitude) =>
      (2 * Math.PI) / Math.sqrt(9.80665) / meanOf(1, Math.cos((amplitude * Math.PI) / 360)),
    within: 1e-9,
  },
  epanet: { exact: (diameter, demand) => 100 - loss(diameter / 1_000, demand / 3_600), within: 1e-3 },
  sumo: { exact: (speed) => 1_000 / speed, within: 0.01 },
  ngspice: {
    exact: (resistance) => 5 * (1 - Math.exp(-1e3 / resistance)),
    within: 1e-4,
    needs: ['ngspice', '-v'],
  },
  fmu: { exact: (rate) => Math.exp(-2 * rate), within: 1e-9, needs: ['cc', '--version'] },
  r: {
    exact: (people) => 1 - Array.from({ length: people }, (_, k) => (365 - k) / 365).reduce((p, q) => p * q),
    within: 4.5,
    hasChance: true,
    needs: ['Rscript', '-e', 'stopifnot(requireNamespace("jsonlite"))'],
  },
};

let gallery: Gallery;
beforeAll(async () => {
  gallery = await Gallery.open();
}, 600_000);
afterAll(() => gallery.close());

test('has a test, a picture and exact values of each entry', () => {
  expect(gallery.names.toSorted()).toEqual(Object.keys(entries).toSorted());
  for (const [name, { exact }] of Object.entries(entries)) {
    for (const { inputs, value } of exactOf(name).rows) expect(exact(...inputs) / value).toBeCloseTo(1, 7);
    const has = existsSync(join(ROOT, `docs/pictures/gallery/${name}.svg`));
    expect({ name, has }).toEqual({ name, has: true });
  }
});

test.each(Object.entries(entries))(
  '%s gives its exact values',
  async (name, { within, hasChance, needs }) => {
    if (needs && spawnSync(needs[0], needs.slice(1)).status !== 0) {
      return report(`left out: ${name} of the gallery, because ${needs[0]} is not installed`);
    }
    const seconds = await gallery.run(name);
    const { stdout } = await foray(gallery.folder, ['results', name, '--format', 'jsonl', '--all']);
    const lines = stdout.trimEnd().split('\n');
    const runs = lines.map((line) => JSON.parse(line) as Record<string, number>);
    const { names, output, rows } = exactOf(name);
    const errors = rows.map(({ inputs, value }) => {
      const own = runs.filter((run) => names.every((input, at) => run[input] === inputs[at]));
      const found = own.map((run) => run[output]!);
      return Math.abs(hasChance ? zOf(found, value) : found[0]! / value - 1);
    });
    const largest = Math.max(...errors).toPrecision(2);
    report(`gallery: ${name}: ${errors.length} points within ${largest}, ${seconds.toFixed(0)} s`);
    for (const error of errors) expect(error).toBeLessThan(within);
  },
);

/** The exact values of an entry. The last column is an output, the others are inputs. */
function exactOf(name: string): {
  names: string[];
  output: string;
  rows: { inputs: number[]; value: number }[];
} {
  const text = readFileSync(join(ROOT, 'examples/gallery', gallery.exactFile(name)), 'utf8');
  const [head, ...rows]: string[][] = parse(text);
  return {
    names: head!.slice(0, -1),
    output: head!.at(-1)!,
    rows: rows.map((row) => ({ inputs: row.slice(0, -1).map(Number), value: Number(row.at(-1)) })),
  };
}

/** The arithmetic-geometric mean. */
function meanOf(a: number, b: number): number {
  return Math.abs(a - b) < 1e-15 * a ? a : meanOf((a + b) / 2, Math.sqrt(a * b));
}

/** The loss of head in a pipe of 1 km with the roughness 100, in meters (Rossman, EPANET 2.2 User Manual, table 3.1; in feet). */
function loss(diameter: number, flow: number): number {
  const foot = 0.3048;
  return (
    4.727 * 100 ** -1.852 * (diameter / foot) ** -4.871 * (1_000 / foot) * (flow / foot ** 3) ** 1.852 * foot
  );
}

/**
 * The expected Gini coefficient if n coins are spread over n agents, and all ways to spread them are equally likely. It
 * is (1 − 1/n) times the mean of |x − y| / 2 for the coins x and y of two agents, and that is 1 − E min(x, y).
 */
function gini(n: number): number {
  // P(x ≥ k and y ≥ k) is the share of the ways in which both have k coins at first
  let least = 0;
  for (let k = 1; 2 * k <= n; k += 1) least += Math.exp(logWays(n - 2 * k, n) - logWays(n, n));
  return (1 - 1 / n) * (1 - least);
}

/** The logarithm of the number of ways to spread coins over agents. */
function logWays(coins: number, agents: number): number {
  let sum = 0;
  for (let k = 1; k < agents; k += 1) sum += Math.log((coins + k) / k);
  return sum;
}
