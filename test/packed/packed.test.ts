import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { withImports } from '../../src/service/models/library.ts';
import { cleanEnv, type Dev, foray as run, type Ran, ROOT, startDev } from '../support/cli.ts';
import { brokenLinks, pages } from '../support/markdown.ts';

/** The folder of the tests. The package is installed below it, in a path with blanks and a letter outside ASCII. */
const place = mkdtempSync(join(tmpdir(), 'foray-packed-'));
const project = join(place, 'a b ü');
const own = join(project, 'node_modules/foray');
const program = join(project, 'node_modules/.bin/foray');
let tarball: string;

/** Runs a program that is installed in the checkout. Returns its output. */
const tool = (path: string, ...args: string[]): string =>
  spawnSync(process.execPath, [join(ROOT, 'node_modules', path), ...args], { cwd: project, encoding: 'utf8' })
    .stdout;
const npm = (folder: string, ...args: string[]): string =>
  execFileSync('npm', args, { cwd: folder, env: cleanEnv(), encoding: 'utf8', stdio: 'pipe' });
const write = (name: string, text: string): void => {
  mkdirSync(join(project, name, '..'), { recursive: true });
  writeFileSync(join(project, name), text);
};

beforeAll(() => {
  npm(ROOT, 'pack', '--silent', '--pack-destination', place);
  tarball = join(place, globSync('*.tgz', { cwd: place })[0]!);
  write('package.json', JSON.stringify({ name: 'mine', private: true, type: 'module' }));
  npm(project, 'install', '--prefer-offline', '--no-audit', '--no-fund', tarball);
});
afterAll(() => rmSync(place, { recursive: true, force: true }));

describe('the package', () => {
  test('passes publint and arethetypeswrong', () => {
    expect(tool('publint/src/cli.js', '--strict', tarball)).toContain('All good!');
    const types = tool(
      '@arethetypeswrong/cli/dist/index.js',
      '--profile',
      'esm-only',
      '-f',
      'ascii',
      '--no-emoji',
      tarball,
    );
    // foray, foray/kernel and foray/model
    expect(types.match(/node16 \(from ESM\): OK/g)).toHaveLength(3);
  });

  test('contains no tests, no TypeScript source outside of the examples, no development tools and no path of the folder in which it was built', () => {
    const files = globSync('**/*.*', { cwd: own });
    expect(files.filter((file) => /^test|(?<!\.d)\.ts$/.test(file) && !/examples/.test(file))).toEqual([]);
    const tools = ['node', 'typescript', 'jest', 'oxlint', 'oxfmt', 'rollup', 'publint', 'autocannon'];
    const installed = globSync('*', { cwd: join(project, 'node_modules') });
    expect(installed.filter((name) => tools.includes(name))).toEqual([]);
    // no JavaScript file, source map or declaration contains the path of the folder in which the package was built
    const texts = globSync('**/*.{js,map,d.ts}', { cwd: own }).filter((file) =>
      readFileSync(join(own, file), 'utf8').includes(ROOT),
    );
    expect(texts).toEqual([]);
  });

  test('has all files to which its pages link, and stays small', () => {
    const packed = pages(own, 'dist/examples');
    expect(packed.map(({ path }) => path)).toEqual(expect.arrayContaining(['README.md', 'docs/concepts.md']));
    // a guide tells users to copy these files
    expect(globSync('*', { cwd: join(own, 'docs/monitoring') }).sort()).toEqual([
      ...['alerts.yaml', 'dashboard.json', 'prometheus.yaml'],
    ]);
    const broken = packed.flatMap((page) => brokenLinks(page, own).map((link) => `${page.path}: ${link}`));
    expect(broken).toEqual([]);
    // half a megabyte of it is Vega
    expect(statSync(tarball).size).toBeLessThan(5.5e6);
  });

  test('has all files that Node loads for foray/kernel and foray/model; foray finds the same files by following imports', () => {
    write(
      'loaded.mjs',
      `import { registerHooks } from 'node:module';
const urls = [];
registerHooks({ load: (url, context, next) => { urls.push(url); return next(url, context); } });
await import('foray/kernel');
await import('foray/model');
console.log(JSON.stringify(urls.filter((url) => url.startsWith('file:'))));`,
    );
    const said = execFileSync(process.execPath, ['loaded.mjs'], { cwd: project, encoding: 'utf8' });
    const loaded = (JSON.parse(said) as string[]).map((url) => fileURLToPath(url)).sort();
    const entries = ['src/service/models/model', 'models/kernel/index'];
    expect(withImports(entries.map((entry) => join(own, `dist/${entry}.js`)))).toEqual(loaded);
    expect(loaded.length).toBeGreaterThan(10);
  });

  test('has the licences of the packages in its bundle', () => {
    const licences = readFileSync(join(own, 'dist/LICENSES.txt'), 'utf8');
    expect(licences).toMatch(/^kysely [\d.]+ \(MIT\)\n\nThe MIT License/m);
    expect(licences.match(/^\S+ [\d.]+ \((MIT|ISC|BSD-.*|Apache-2.0|.*OR.*)\)$/gm)!.length).toBe(
      licences.split(`\n${'-'.repeat(80)}\n`).length,
    );
  });
});

const MODEL = `import { exponential, randomStream } from 'foray/kernel';
import { defineModel } from 'foray/model';

export default defineModel({
  name: 'Short wait',
  description: 'How long until the bus comes.',
  inputs: [
    { name: '{RANDOM_SEED}', type: 'LONG', default: 1 },
    { name: 'Mean wait', type: 'DOUBLE', units: 'MINUTE', default: 5, min: 0 },
  ],
  outputs: [{ name: 'Wait', type: 'DOUBLE', units: 'MINUTE' }],
  run({ inputs, seed }) {
    return { Wait: exponential(randomStream(seed, 1, 'buses'), inputs['Mean wait']) };
  },
});
`;
const CAMPAIGN = `import { defineCampaign } from 'foray';

export default defineCampaign({
  campaign: 'wait',
  model: { name: 'Short wait' },
  design: { grid: { 'Mean wait': [1, 2, 3] } },
  replications: 2,
  seed: 42,
});
`;
const SCRIPT = `import { Foray, isClosed, resultObjects, settingsFromEnvironment, type Settings } from 'foray';
import definition from './campaign.ts';

const settings: Settings = settingsFromEnvironment();
const foray = await Foray.open(settings);
const { id } = await foray.submit({ definition }, { id: 'from-a-script' });
for await (const status of foray.follow(id, 200)) if (isClosed(status)) console.log(status.phase);
const waits: number[] = [];
for await (const row of resultObjects<{ Wait: number }>(foray, id)) waits.push(row.Wait);
const { done } = await foray.counts(id);
console.log(JSON.stringify({ waits, done, recent: (await foray.recentRows(id)).rows.length }));
await foray.close();
`;

describe('in an empty folder', () => {
  let dev: Dev;
  const foray = (...args: string[]): Promise<Ran> => run(project, args, { program });

  beforeAll(async () => {
    write('model/model.ts', MODEL);
    write('campaign.ts', CAMPAIGN);
    write('script.ts', SCRIPT);
    dev = await startDev({ folder: project, program, args: ['--models', 'model'] });
  });
  afterAll(() => dev?.stop());

  test('a strict TypeScript project compiles with the package, also if it checks the declarations', () => {
    const strict = { strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true };
    const compilerOptions = {
      // foray's declarations are checked, but TypeScript's own are not
      ...strict,
      skipLibCheck: false,
      skipDefaultLibCheck: true,
      noEmit: true,
      target: 'es2024',
      module: 'nodenext',
      types: [],
      allowImportingTsExtensions: true,
    };
    write('tsconfig.json', JSON.stringify({ compilerOptions }));
    expect(tool('typescript/bin/tsc', '-p', project)).toBe('');
  });

  test("a campaign in TypeScript runs a user's model", async () => {
    expect(await foray('submit', 'campaign.ts', '--id', 'mine', '--watch')).toMatchObject({ code: 0 });
    const { stdout } = await foray('results', 'mine', '--format', 'csv');
    // the header, and two replications of three points
    expect(stdout.trim().split('\n')).toHaveLength(7);
  });

  test('a script submits a campaign, follows it and reads its rows', () => {
    const said = execFileSync(process.execPath, ['script.ts'], {
      cwd: project,
      env: cleanEnv(),
      encoding: 'utf8',
    });
    expect(said).toMatch(/^completed\n/);
    const { waits, done, recent } = JSON.parse(said.split('\n')[1]!) as Record<string, unknown>;
    expect([done, recent]).toEqual([6, 6]);
    expect(waits).toEqual(Array.from({ length: 6 }, () => expect.any(Number)));
  });

  test('init writes a definition of a shipped model, and the demo runs the example', async () => {
    expect(await foray('init', 'Epidemic', '-o', 'flu.yaml')).toMatchObject({ code: 0 });
    expect(await foray('plan', 'flu.yaml')).toMatchObject({ code: 0 });
    // the demo of a checkout runs the whole grid and the comparison of the best points (.ci/demo-elsewhere)
    const example = join(own, 'dist/examples/boarding-school-flu');
    for (const [file, from, to] of [
      ['campaign.yaml', 'step: 0.025', 'step: 0.25'],
      ['search.yaml', /^ *confirm: .*$/m, ''],
    ] as const) {
      const text = readFileSync(join(example, file), 'utf8');
      expect(text).toMatch(from);
      writeFileSync(join(example, file), text.replace(from, to));
    }
    expect((await foray('demo')).stdout).toMatch(/Best fit {3}contact rate 1\.6.*error 17\.1\d pupils/);
    expect(readFileSync(join(project, 'foray-demo/report.html'), 'utf8')).toContain('-ground"');
  });

  test('foray doctor finds no problem, and names the version of the worker', async () => {
    const { code, stdout } = await foray('doctor');
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/workers .*@\S+ foray \d+\.\d+\.\d+ \(build \S+\)\.$/m),
    ]);
  });

  test('a service serves metrics', async () => {
    const args = ['service', '--data', 'measured', '--port', '0', '--metrics', '127.0.0.1:0'];
    const service = spawn(process.execPath, [program, ...args], { cwd: project, env: cleanEnv() });
    try {
      let said = '';
      for await (const chunk of service.stdout) {
        said += String(chunk);
        if (/http\S+\/metrics/.test(said)) break;
      }
      const url = /http\S+\/metrics/.exec(said)?.[0];
      expect([said, url]).toEqual([said, expect.any(String)]);
      expect(await (await fetch(url!)).text()).toContain('\nforay_runs_queued 0\n');
    } finally {
      service.kill('SIGKILL');
    }
  });

  test('foray models new writes a model that passes foray models check', async () => {
    expect(await foray('models', 'new', 'Tea room')).toMatchObject({ code: 0 });
    expect(await foray('models', 'check', 'tea-room')).toMatchObject({ code: 0 });
  });
});
