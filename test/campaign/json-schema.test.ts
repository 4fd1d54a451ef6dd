import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { definitionSchema } from '../../src/campaign/json-schema.ts';
import { readDefinition } from '../support/definition.ts';
import { HEAD, thrownBy } from './support.ts';

const EXAMPLES = join(import.meta.dirname, '../../examples');
const schema = definitionSchema();
// The conditions of the schema name properties of the outer schema, and a pattern may stand without "type: string".
// Ajv's strict mode refuses both.
const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, validateFormats: false });
const isValid = ajv.compile(schema);

interface Mapping {
  properties?: Record<string, { description?: string; $ref?: string }>;
  additionalProperties?: unknown;
}

test('the schema is valid, and describes each setting', () => {
  expect(ajv.validateSchema(schema)).toBe(true);
  const described: string[] = [];
  const silent: string[] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    // "properties" without "additionalProperties" belong to a condition, not to a setting
    const { properties = {}, additionalProperties } = node as Mapping;
    if (additionalProperties !== undefined) {
      for (const [name, { description, $ref }] of Object.entries(properties))
        ((description ?? $ref) === undefined ? silent : described).push(name);
    }
    Object.values(node).forEach(walk);
  };
  walk(schema);
  expect(silent).toEqual([]);
  expect(described).toEqual(
    expect.arrayContaining(['campaign', 'version', 'salt', 'confidence', 'mode', 'then']),
  );
});

const examples = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('campaign.yaml') || /^(designs|search|sensitivity)\/.*\.yaml$/.test(name),
);
test.each(examples)('examples/%s is valid', (name) => {
  const definition: unknown = parse(readFileSync(join(EXAMPLES, name), 'utf8'));
  expect({ isValid: isValid(definition), errors: isValid.errors }).toEqual({ isValid: true, errors: null });
});

describe('the schema and readDefinition accept the same shapes', () => {
  test.each([
    'inputs:\nfiles:\n',
    'inputs: {Days: {value: 14, units: DAY}, Title: a, Stochastic: true}\n',
    'model: {name: Epidemic, version: 3}\n',
    'timeouts: {run: 90, campaign: 1.5 h}\n',
    'failures: {attempts: 2, backoff: " 90 s "}\n',
    'failures: {count: 0}\n',
    'fresh: {salt: Title}\n',
    'outputs: [Fit error]\n',
    'outputs: {names: [Fit error], files: keep}\n',
    'outputs: {}\n',
    'outputs: {axes: {Infected: {name: Time, units: DAY, scale: log, start: 2026-01-31}}}\n',
    'replications: {min: 5, max: 100, output: [Peak day, Fit error], absolute: 2}\n',
    'design: {grid: {Days: {from: 1, to: 9, count: 3, scale: log}, Population: [1]}, where: Days > 3}\n',
    'design: {zip: {Days: {values: [1, 2], units: DAY}}, derive: {Population: Days * 3}}\n',
    'design: {points: points.csv}\n',
    'design: {points: [{Days: 1}, {Days: 2}]}\n',
    'design: {lhs: {points: 3, inputs: {Days: {min: 1, max: 2}, Title: [a, b]}, seed: 2}}\n',
    'design: {sobol: {points: 3, scramble: false, inputs: {Days: {distribution: normal, mean: 1, sd: 2, min: 0}}}}\n',
    'design: {halton: {points: 3, inputs: {Days: {values: [1, 2], weights: [1, 3]}}}}\n',
    'design: {random: {points: 3, inputs: {Days: {distribution: triangular, min: 1, mode: 1, max: 2, units: DAY}}}}\n',
    'design: {morris: {trajectories: 3, levels: 6, inputs: {Days: {min: 1, max: 2}, Title: [a, b]}, seed: 2}}\n',
    'design: {saltelli: {points: 8, secondOrder: true, scrambles: 2, inputs: {Days: {min: 1, max: 2}}}}\n',
    'design: {factorial: {inputs: {Days: [1, 2], Title: [a, b]}, resolution: 3}, derive: {Population: Days}}\n',
    'design: {onePerInput: {change: 0.2, inputs: [Days, Population]}}\n',
    'design: {onePerInput: {inputs: {Days: {low: 1, high: 20, units: DAY}}}}\n',
    'design: {product: [{grid: {Days: [1]}}, {union: [{points: a.csv}, {oneAtATime: {Population: [1]}}]}]}\n',
  ])('%s is accepted', (body) => {
    const text = headed(body);
    readDefinition(text, 'x.yaml');
    expect({ isValid: isValid(parse(text)), errors: isValid.errors }).toEqual({
      isValid: true,
      errors: null,
    });
  });

  test.each([
    'desing: {grid: {Days: [1]}}\n',
    'campaign: two words\n',
    'model: {version: 1}\n',
    'model: {name: Epidemic, version: 0}\n',
    'model: {name: Epidemic, version: newest}\n',
    'inputs: {Days: {value: 14}}\n',
    'inputs: {Days: {value: 14, units: 5}}\n',
    'inputs: {Days: [14]}\n',
    'inputs: {Days: }\n',
    'design: {}\n',
    'design: {where: Days > 3}\n',
    'design: {grid: {}}\n',
    'design: {grid: {Days: [1]}, zip: {Population: [1]}}\n',
    'design: {grid: {Days: {from: 1, to: 2}}}\n',
    'design: {grid: {Days: {from: 1, to: 2, step: 1, count: 2}}}\n',
    'design: {grid: {Days: {from: 1, to: 2, step: 1, scale: log}}}\n',
    'design: {lhs: {points: 0, inputs: {Days: [1]}}}\n',
    'design: {lhs: {points: 5, scramble: true, inputs: {Days: [1]}}}\n',
    'design: {lhs: {points: 5, inputs: {Days: {min: 1}}}}\n',
    'design: {lhs: {points: 5, inputs: {Days: {min: 1, max: 2, mean: 3}}}}\n',
    'design: {lhs: {points: 5, inputs: {Days: {mean: 3, sd: 1}}}}\n',
    'design: {lhs: {points: 5, inputs: {Days: {distribution: choice, min: 1, max: 2}}}}\n',
    'design: {morris: {inputs: {Days: [1, 2]}}}\n',
    'design: {morris: {trajectories: 3, levels: 5, inputs: {Days: [1, 2]}}}\n',
    'design: {saltelli: {points: 8, correlations: [], inputs: {Days: [1, 2]}}}\n',
    'design: {factorial: {inputs: {Days: [1, 2]}, resolution: 2}}\n',
    'design: {onePerInput: {inputs: []}}\n',
    'design: {onePerInput: {change: 2, inputs: [Days]}}\n',
    'design: {onePerInput: {change: 0.2, inputs: {Days: {low: 1, high: 20}}}}\n',
    'design: {product: [{grid: {Days: [1]}, points: a.csv}]}\n',
    'replications: 0\n',
    'replications: {min: 5, max: 100, output: Peak day}\n',
    'replications: {min: 5, max: 100, output: Peak day, relative: 0.1, absolute: 2}\n',
    'failures: {}\n',
    'failures: {attempts: 1, backoff: 10 s}\n',
    'timeouts: {run: soon}\n',
    'timeouts: {run: 0}\n',
    'fresh: {sallt: Title}\n',
    'outputs: {names: []}\n',
    'outputs: {files: copy}\n',
    'outputs: {file: keep}\n',
    'priority: 6\n',
  ])('%s is refused', (body) => {
    const text = headed(body);
    expect(thrownBy(() => readDefinition(text, 'x.yaml')).code).toBe('DEFINITION_INVALID');
    expect(isValid(parse(text))).toBe(false);
  });
});

/** Adds the first two lines of a definition, without a line for the setting that the text begins with. */
function headed(body: string): string {
  const setting = body.split(':')[0]!;
  return HEAD.split('\n')
    .filter((line) => !line.startsWith(`${setting}:`))
    .join('\n')
    .concat(body);
}
