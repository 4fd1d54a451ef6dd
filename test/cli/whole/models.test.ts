import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { foray, ROOT } from '../../support/cli.ts';
import { testFolder } from '../../support/test-folder.ts';

const folder = testFolder();

const run = (...args: string[]) => foray(folder, ['models', ...args]);

interface Checked {
  name: string;
  seconds: number;
  outputs: Record<string, unknown>;
}

test('foray models check accepts the module of docs/guides/models.md, and says what to change beside a package.json of type commonjs', async () => {
  const docs = readFileSync(join(ROOT, 'docs/guides/models.md'), 'utf8');
  mkdirSync(join(folder, 'bus'));
  writeFileSync(join(folder, 'bus/model.ts'), /```ts\n([^`]+)```/.exec(docs)![1]!);
  const manifest = join(folder, 'bus/package.json');
  writeFileSync(manifest, '{"type": "commonjs"}');
  const checked = await run('check', 'bus');
  expect([checked.code, checked.stderr]).toEqual([2, expect.stringContaining('npm pkg set type=module')]);
  writeFileSync(manifest, '{"type": "module"}');
  const [{ name, outputs }] = JSON.parse((await run('check', 'bus', '--json')).stdout) as [Checked];
  expect([name, Object.keys(outputs)]).toEqual(['Short wait', ['Wait']]);
});

test('foray models check --json keeps all digits of a large LONG', async () => {
  mkdirSync(join(folder, 'large'));
  writeFileSync(
    join(folder, 'large/model.ts'),
    `import { defineModel } from 'foray/model';
export default defineModel({
  name: 'Large',
  description: 'It counts far.',
  inputs: [],
  outputs: [{ name: 'Count', type: 'LONG' }, { name: 'Curve', type: 'DATA_SET' }],
  run: () => ({ Count: 9007199254740993n, Curve: { dataX: [0], dataY: [0.5] } }),
});
`,
  );
  const { code, stdout } = await run('check', 'large', '--json');
  expect([code, stdout]).toEqual([0, expect.stringContaining('"Count": 9007199254740993,')]);
  expect(JSON.parse(stdout)).toMatchObject([{ outputs: { Curve: { dataY: [0.5] } } }]);
});

test('foray models check runs a model also with the largest seed that it may get', async () => {
  const seed = (more: string): string =>
    `name: Echo
description: ''
command: node sim.mjs
inputs:
  - { name: '{RANDOM_SEED}', type: LONG, default: 1${more} }
  - { name: N, type: DOUBLE, default: 3 }
outputs:
  - { name: Out, type: DOUBLE }
`;
  const write = (yaml: string, program: string): void => {
    mkdirSync(join(folder, 'picky'), { recursive: true });
    writeFileSync(join(folder, 'picky/model.yaml'), yaml);
    writeFileSync(join(folder, 'picky/sim.mjs'), program);
  };
  const picky = `import { readFileSync } from 'node:fs';
    const inputs = JSON.parse(readFileSync(0, 'utf8'));
    if (inputs['{RANDOM_SEED}'] > 2147483647) throw new RangeError('the seed is no int');
    console.log(JSON.stringify({ outputs: { Out: inputs.N } }));`;
  write(seed(''), picky);
  const { code, stderr } = await run('check', 'picky');
  expect(code).not.toBe(0);
  expect(stderr).toMatch(/failed with \{RANDOM_SEED\} = 281474976710655: .*the seed is no int/);
  expect(stderr).toContain('such as max: 2147483647');
  write(seed(', max: 2147483647'), picky);
  expect((await run('check', 'picky')).code).toBe(0);
});
