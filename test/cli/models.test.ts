import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { modelsIn } from '../../src/cli/models-in.ts';
import type { ForayError } from '../../src/errors.ts';
import { readTriable, tryModel } from '../../src/service/trials/trial.ts';
import { foray } from '../support/cli.ts';
import { testFolder } from '../support/test-folder.ts';

const folder = testFolder();

const run = (...args: string[]) => foray(folder, ['models', ...args]);

interface Checked {
  name: string;
  seconds: number;
  outputs: Record<string, unknown>;
}

describe('foray models new', () => {
  test('makes a working model with the given name', async () => {
    const made = await run('new', `Ada's "tea" room`);
    expect([made.code, made.stdout]).toEqual([0, expect.stringContaining('models check ada-s-tea-room')]);
    const checked = await run('check', 'ada-s-tea-room', '--json');
    const [{ name, outputs }] = JSON.parse(checked.stdout) as [Checked];
    expect(name).toBe(`Ada's "tea" room`);
    // the model is a queue M/M/1; its mean waiting time is 4 minutes in theory
    expect(outputs['Mean waiting time']).toBeGreaterThan(2);
    expect(outputs['Mean waiting time']).toBeLessThan(8);
  });

  test('says where the new model is, and never replaces a file', async () => {
    const made = await run('new', 'Coffee bar', '--command', '-o', 'own/bar');
    expect(made.stdout).toContain('own/bar/model.yaml and own/bar/sim.py');
    writeFileSync(join(folder, 'own/bar/sim.py'), 'mine');
    const again = await run('new', 'Coffee bar', '--command', '-o', 'own/bar');
    expect([again.code, again.stderr]).toEqual([2, expect.stringMatching(/own\/bar already exists/)]);
    expect(readFileSync(join(folder, 'own/bar/sim.py'), 'utf8')).toBe('mine');
    expect(await run('new', 'x', '-o', '/proc/x')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/\/proc\/x cannot be written/),
    });
    expect((await run('new', 'x'.repeat(300))).stderr).toMatch(/at most 200 characters/);
    expect((await run('new', '!!')).stderr).toMatch(/neither letters nor digits/);
    expect(existsSync(join(folder, 'own/bar/model.js'))).toBe(false);
  });
});

describe('foray models check', () => {
  const declaration = `name: Echo
description: ''
command: node sim.mjs
inputs:
  - { name: N, type: DOUBLE, default: 3, min: 0 }
outputs:
  - { name: Out, type: DOUBLE, units: MINUTE }
`;
  const echo = `import { readFileSync } from 'node:fs';
    console.error('to be seen');
    console.log(JSON.stringify({ outputs: { Out: JSON.parse(readFileSync(0, 'utf8')).N } }));`;

  function write(name: string, yaml: string, program = echo): void {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, 'model.yaml'), yaml);
    writeFileSync(join(folder, name, 'sim.mjs'), program);
  }

  test('shows the outputs and what the model printed', async () => {
    write('echo', declaration);
    const { code, stdout, stderr } = await run('check', 'echo');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(
        /^Echo: 1 input, 1 output, 0 stored experiments\.\nIt ran with its defaults in \d+\.\d\d s:\n {2}Out {2}3 MINUTE\n$/,
      ),
    ]);
    expect(stderr).toMatch(/to be seen\n(.|\n)*\[100%\] Echo has run/);
    // any text is a unit
    write('energy', declaration.replace('units: MINUTE', 'units: kWh/a'));
    expect((await run('check', 'energy')).stdout).toContain('Out  3 kWh/a\n');
  });

  test.each([
    ['units: MINUTE', "units: ' '", /wrong\/model\.yaml:7:39: .*a unit is expected/],
    [
      'node sim.mjs',
      'node sum.mjs',
      /failed when it was run with its defaults: the command ended with exit code 1/,
    ],
  ])('refuses a declaration with %s replaced by %s', async (from, to, message) => {
    write('wrong', declaration.replace(from, to));
    const { code, stdout, stderr } = await run('check', 'wrong');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^\s+at .*foray/m);
  });

  test.each([
    ['default: 3', 'dflt: 3', /model\.yaml:5:30: "inputs\.N" has no setting "dflt"/],
    [
      'default: 3',
      'default: three',
      /model\.yaml:5:39: .*the default of "N" is "three", which is not a number/,
    ],
    ['min: 0', 'min: 4, max: 3', /the greatest value of "N" is less than its least value/],
    ['DOUBLE, default: 3, min: 0', 'INPUT_FILE, default: a.csv', /its default must be ''/],
    ['name: Echo', 'name: "a\\u001b[31mred"', /a name has no line breaks or other control characters/],
    ['node sim.mjs', '5', /a program and its arguments are expected, as a text or a list of texts/],
    [
      'node sim.mjs',
      'node "my sim.mjs"',
      /model\.yaml:3:10: "command" is wrong: quotes do not keep a blank in a word; write a list, such as/,
    ],
    ['min: 0', 'min: 4', /the default of "N" is 3, but must be at least 4/],
    ['name: N,', "name: '{STOP_TIME}', units: hours,", /a time: its units must be one of MILLISECOND,/],
    ['name: Echo', 'name: [', /model\.yaml:\d+:\d+: The declaration is neither YAML nor JSON/],
    ['command: node sim.mjs\n', '', /"command" is missing/],
    [
      'name: N,',
      'name: __proto__,',
      /an input "__proto__"\. A definition of a campaign cannot use this name/,
    ],
  ])('does not read a declaration with %s replaced by %s', async (from, to, message) => {
    write('wrong', declaration.replace(from, to));
    const [place] = await modelsIn(join(folder, 'wrong'));
    const error = await readTriable(place!).catch((error: unknown) => error as ForayError);
    expect(error).toMatchObject({ code: 'MODEL_INVALID' });
    expect((error as ForayError).toLine()).toMatch(message);
  });

  test('a value is for the input with the longest name that fits, even if the name contains "="', async () => {
    const input = `  - { name: 'Note (1=a, "b")', type: STRING, default: '' }\n`;
    write('signs', declaration.replace('outputs:', `${input}outputs:`));
    const { code, stdout } = await run('check', 'signs', '--input', 'note (1=a, "b")=c=d', '--input', 'N=4');
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('It ran with note (1=a, "b") = c=d, N = 4 in'),
    ]);
    expect((await run('check', 'signs', '--input', 'Nota=b=c')).stderr).toMatch(/has no input "Nota"/);
  });

  test('a model that cannot be run now, because its files are just being changed, is not called invalid', async () => {
    write('changing', declaration);
    const [place] = await modelsIn(join(folder, 'changing'));
    const model = await readTriable(place!);
    write('changing', declaration, `${echo}\n`);
    const trial = tryModel(
      model,
      { values: new Map(), files: new Map() },
      { onProgress: () => {}, onLine: () => {} },
    );
    await expect(trial).rejects.toMatchObject({
      code: 'MODEL_UNREADABLE',
      message: expect.stringMatching(/^The model "Echo" cannot be run now: .* changed since/),
    });
  });

  test('a file that is given as a value, and a value that is given as a file, are errors that name the right option', async () => {
    write(
      'filed',
      declaration.replace('outputs:', "  - { name: Opening hours, type: INPUT_FILE, default: '' }\noutputs:"),
    );
    const [place] = await modelsIn(join(folder, 'filed'));
    const model = await readTriable(place!);
    const wrong = async (values: [string, string][], files: [string, string][]): Promise<string> => {
      const given = { values: new Map(values), files: new Map(files) };
      const tried = tryModel(model, given, { onProgress: () => {}, onLine: () => {} });
      return tried.then(
        () => 'it has run',
        (error: unknown) => (error as ForayError).toLine(),
      );
    };
    expect(await wrong([['opening hours', 'hours.csv']], [])).toBe(
      `The input "opening hours" is a file, so it takes no value. Give the path of the file: --file 'opening hours=hours.csv'.`,
    );
    expect(await wrong([], [['N', 'n.csv']])).toBe(
      'The input "N" (DOUBLE) is a value, so it takes no file n.csv. Give the value: --input N=VALUE.',
    );
    expect(await wrong([], [['Opening hours', 'none.csv']])).toMatch(/^The file none\.csv cannot be read/);
    // an empty value means no file
    expect(await wrong([['Opening hours', '']], [])).toBe('it has run');
  });

  test('exits with 1 for a module whose outputs depend on its earlier runs, and names two values', async () => {
    mkdirSync(join(folder, 'counter'));
    const source = `let runs = 0;
      export default { name: 'Counter', description: '', inputs: [],
        outputs: [{ name: 'Runs', type: 'INTEGER' }, { name: 'One', type: 'INTEGER' }],
        run() { runs += 1; return { Runs: runs, One: 1 }; } };`;
    writeFileSync(join(folder, 'counter/model.js'), source);
    const { code, stderr } = await run('check', 'counter');
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/"Counter" gave different results after other runs.*"Runs" is 1 and 2\./),
    ]);
  });

  test('runs a model with another listed value in its canonical form', async () => {
    mkdirSync(join(folder, 'days'));
    const source = `let first;
      export default { name: 'Days', description: '', outputs: [{ name: 'First', type: 'STRING' }],
        inputs: [{ name: 'Day', type: 'DATE_TIME', default: '2026-01-01T08:30', values: ['2026-01-01T08:30', '2026-02-01T08:30'] }],
        run({ inputs: { Day } }) {
          if (!Day.endsWith('08:30:00')) throw new Error('not canonical');
          return { First: (first ??= Day) };
        } };`;
    writeFileSync(join(folder, 'days/model.js'), source);
    expect((await run('check', 'days')).stderr).toMatch(/"First" is "2026-02-01T08:30:00" and "2026-01-01T/);
  });

  test('warns about what a model writes beside itself, leaves running, and names outside its folder', async () => {
    const outside = join(folder, 'outside.csv');
    writeFileSync(outside, '');
    mkdirSync(join(folder, 'tables'));
    write(
      'leaving',
      declaration,
      `import { spawn } from 'node:child_process';
       import { existsSync, writeFileSync } from 'node:fs';
       existsSync('${outside}');
       // the program puts the path together, so only the folder is known
       const data = '${join(folder, 'tables')}';
       existsSync(data + '/rates.csv');
       writeFileSync(process.env.FORAY_MODEL_DIR + '/cache.txt', '');
       writeFileSync('${join(folder, 'leaving', 'run.log')}', '');
       spawn('sleep', ['610'], { detached: true, stdio: 'ignore' }).unref();
       ${echo}`,
    );
    const { code, stderr } = await run('check', 'leaving');
    expect(stderr).toMatch(/"Echo" uses .*outside\.csv.*tables.* from outside its folder/);
    expect(stderr).toContain('"Echo" writes into its own folder: cache.txt.');
    expect(stderr).toContain('"Echo" writes into its original folder: run.log.');
    expect(stderr).toContain('"Echo" ends before its processes: sleep 610.');
    expect(code).toBe(0);
  });

  test('a folder without a model, or with two declarations, is an error', async () => {
    mkdirSync(join(folder, 'empty'));
    expect((await run('check', 'empty')).stderr).toMatch(/There is no model in empty/);
    expect((await run('check', 'nowhere')).stderr).toMatch(/is not there/);
    write('both', declaration);
    writeFileSync(join(folder, 'both/model.js'), '');
    expect((await run('check', 'both')).stderr).toMatch(
      /has model\.js and model\.yaml\. A model has only one of these files/,
    );
  });
});
