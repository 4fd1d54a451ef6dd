import { join } from 'node:path';
import { inputFinder } from '../../../src/campaign/find-input.ts';
import { pointCheck } from '../../../src/campaign/designs/points.ts';
import { expand } from '../../../src/campaign/points.ts';
import type { BaseInput } from '../../../src/campaign/designs/input-types.ts';
import { readPointsFile } from '../../../src/resolve/files/points-file.ts';

/** A program that reads a point file and expands its points. A test can limit the memory of its process. */

const [folder, name] = process.argv.slice(2) as [string, string];
const base: BaseInput[] = [
  { name: 'Days', type: 'INTEGER', units: null, value: '14' },
  { name: 'Title', type: 'STRING', units: null, value: 'none' },
];
const version = { id: 'a version', version: 1, experimentTemplate: { inputs: base, outputs: [] } };
const find = inputFinder({ name: 'Epidemic', version, experiments: [] });
const place = { file: 'campaign.yaml', line: 1, column: 1 };
const { content, ...file } = await readPointsFile(
  name,
  join(folder, 'campaign.yaml'),
  place,
  pointCheck({ find }),
);

const design = { kind: 'file' as const, path: name, ...file };
const keys = new BigUint64Array(file.count);
const some: string[][] = [];
let points = 0;
for (const { key, values } of expand({ base, varied: base, design }, new Map([[file.hash, content]]))) {
  keys[points] = BigInt(`0x${key}`);
  if ([0, 123_456, 299_999].includes(points)) some.push(values);
  points += 1;
}
keys.sort();
const distinct = keys.reduce((count, key, at) => (at > 0 && key === keys[at - 1] ? count : count + 1), 0);
console.log(JSON.stringify({ inputs: file.inputs, count: file.count, points, distinct, some }));
