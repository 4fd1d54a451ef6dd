import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readDefinition } from '../support/definition.ts';
import { checkCampaign } from '../../src/client/check.ts';
import { cloudClient } from '../../src/client/index.ts';
import { starterDefinition } from '../../src/client/starter.ts';
import { type RunningService, startService } from '../../src/service/service.ts';
import { foray as run, ROOT, type Ran } from '../support/cli.ts';
import { KEY } from '../support/world.ts';
import { writeModel } from '../service/support.ts';

const SHIPPED = ['Epidemic', 'Inventory', 'Rehearsal', 'Service System Demo'];

/** Names that inputs and outputs may have, but that have another meaning in YAML. */
const NAMES = [
  'Rate: of 5% # not a comment',
  `it's "quoted"`,
  '[1, 2]',
  'a {b: c}',
  '- dash',
  '? what',
  '& anchor',
  '*',
  'Größe ☂ 漢字',
  'a `tick`, a \\ and , commas',
  'true',
  '~',
  '007',
  '<<',
];

let folder: string;
let service: RunningService;
let cloud: ReturnType<typeof cloudClient>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'foray-init-'));
  writeOdd();
  service = await startService({
    dataDir: join(folder, 'service'),
    modelDirs: [join(ROOT, 'models'), join(folder, 'models')],
    executors: 1,
    apiKey: KEY,
  });
  cloud = cloudClient({ service: { url: service.url, key: KEY } }, 'person');
});
afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

function writeOdd(): void {
  const inputs = NAMES.map((name, at) => ({ name, type: 'DOUBLE', units: 'PER_DAY', default: at + 0.5 }));
  const outputs = NAMES.map((name) => ({ name, type: 'DOUBLE', units: null }));
  const others = [
    { name: 'Text', type: 'STRING', default: 'a: "b" # c\nand more of it, so that a line would be folded' },
    { name: 'Large', type: 'LONG', default: '9007199254740993' },
    { name: 'When', type: 'DATE_TIME', default: '2026-01-31T08:30' },
    { name: '{RANDOM_SEED}', type: 'LONG', default: 1 },
    { name: 'A file: any', type: 'INPUT_FILE', default: '' },
  ];
  const definition = {
    name: 'Größe: "odd" #1',
    description: 'Two\nlines: # of it',
    inputs: [...inputs, ...others],
    outputs,
    experiments: [
      { name: 'varied: # many', type: 'PARAMETER_VARIATION', inputs: {} },
      { name: 'one: #, [first]', type: 'SIMULATION', inputs: { [NAMES[0]!]: 7.25 } },
    ],
  };
  const plain = { name: 'Plain', description: '', inputs: [], outputs: [], experiments: [] };
  const only = { ...plain, name: '☂', inputs: [{ name: 'Kind', type: 'STRING', default: 'a, b' }] };
  for (const model of [definition, plain, only]) {
    const data = JSON.stringify(model).slice(0, -1);
    writeModel(
      join(folder, 'models'),
      `m${model.inputs.length}`,
      `export default ${data}, run: () => ({}) };`,
    );
  }
}

const foray = (...args: string[]): Promise<Ran> =>
  run(folder, args, { env: { FORAY_SERVICE_URL: service.url, FORAY_API_KEY: KEY } });

/** Checks a definition with the service, as submit does. */
const check = (text: string) => checkCampaign(cloud, { text, file: join(folder, 'campaign.yaml') });

/** Turns comment lines into settings. */
function uncommented(text: string, which: RegExp): string {
  return text.replaceAll(/^( *)# (.*)$/gm, (line, indent: string, rest: string) =>
    which.test(rest) ? indent + rest : line,
  );
}

describe('foray init', () => {
  test.each([...SHIPPED, 'Größe: "odd" #1', 'Plain', '☂'])(
    'writes a definition for %s that foray accepts, with its comments and without them',
    async (name) => {
      const model = await cloud.getModelByName(name);
      const version = await cloud.getVersion(model.id, model.modelVersions.at(-1)!);
      const text = starterDefinition(model, version, await cloud.listExperiments(version.id));
      const { campaign, points } = await check(text);
      expect([campaign.model.name, points]).toEqual([name, 1]);
      const { inputs, outputs } = version.experimentTemplate;
      expect(campaign.outputs.map(({ name }) => name)).toEqual(outputs.map(({ name }) => name));

      // the comment lines of inputs and files become settings
      const whole = uncommented(text, / # [A-Z_]+(, (in )?[A-Z_]+)?(, [^,]+)?$/)
        .replaceAll('./FILE', './campaign.yaml')
        .replace(/^design: .*\n {2}grid: .*\n/m, '');
      writeFileSync(join(folder, 'campaign.yaml'), 'content');
      const { definition } = readDefinition(whole, 'whole.yaml');
      const named = [...Object.keys(definition.inputs), ...Object.keys(definition.files)];
      expect(named.toSorted()).toEqual(inputs.map((input) => input.name).toSorted());
      const all = (await check(whole)).campaign;
      const keeping = text.replace(/^outputs:\n( {2}- .*\n)*/m, '').replace(/^# (?=outputs: )/m, '');
      const hasFiles = outputs.some(({ type }) => type === 'OUTPUT_FILE');
      expect((await check(keeping)).campaign.outputFiles).toBe(hasFiles ? 'keep' : 'link');
      const isValue = ({ type }: { type: string }): boolean => type !== 'INPUT_FILE';
      expect(all.base.filter(isValue)).toEqual(campaign.base.filter(isValue));
      const isSeeded = inputs.some((input) => input.name === '{RANDOM_SEED}');
      const repeated = text.replace(/^# (?=replications: )/m, '').replace(/^# (?=seed: )/m, '');
      expect((await check(repeated)).campaign).toMatchObject(isSeeded ? { replications: 10, seed: 42 } : {});
      const sought = text.replace(/^design:.*\n( {2}.*\n)*/m, '').replace(/^# (?=search: )/m, '');
      const isSearched = text.includes('lhs: ') && outputs.some(({ type }) => type === 'DOUBLE');
      const { strategy } = (await check(sought)).campaign;
      expect(strategy.by === 'search' && strategy.stop.points).toBe(isSearched && 40);
      const kinds = text.match(/^ {2}# (?!points: \.)[a-z]\w+: [{[].*[}\]]$/gim) ?? [];
      // 13: all kinds of design in the comments, except the file of points
      expect(kinds).toHaveLength(text.includes('lhs: ') ? 13 : 0);
      for (const kind of kinds) {
        const other = text.replace(/^ {2}grid: .*$/m, () => kind.replace('# ', ''));
        expect((await check(other)).points).toBeGreaterThan(1);
        if (/morris|saltelli/.test(kind)) continue;
        const limited = other.replace(
          '# each design, except morris and saltelli, can have a condition: ',
          '',
        );
        expect((await check(limited)).campaign.design.kind).toBe('refined');
      }
    },
  );

  test('uses the values of the stored experiment, and names the other experiments', async () => {
    const { code, stdout, stderr } = await foray('init', 'größe: "ODD" #1');
    expect([code, stderr]).toEqual([0, expect.stringContaining(' > grosse-odd-1.schema.json')]);
    expect(stdout.split('\n')[0]).toBe('# yaml-language-server: $schema=./grosse-odd-1.schema.json');
    const { campaign } = await check(stdout);
    expect(campaign.base[0]).toMatchObject({ name: NAMES[0], value: '7.25' });
    expect(stdout).toContain('experiment: "one: #, [first]"\n');
    expect(stdout).toContain('# other stored experiments: "varied: # many" (PARAMETER_VARIATION)\n');
    expect(stdout).toContain('campaign: grosse-odd-1\n');
    expect(stdout).toContain('# replications: 10 ');
    expect(stdout).toContain('  # Large: "9007199254740993" # LONG\n');
  });

  test('-o also writes the schema, and never replaces a definition', async () => {
    const made = await foray('init', 'Epidemic', '-o', 'own/flu.yaml');
    expect([made.code, made.stdout]).toEqual([0, expect.stringContaining('foray submit own/flu.yaml')]);
    expect(readdirSync(join(folder, 'own')).toSorted()).toEqual(['epidemic.schema.json', 'flu.yaml']);
    const schema = join(folder, 'own/epidemic.schema.json');
    expect(readFileSync(schema, 'utf8')).toBe((await foray('schema', 'Epidemic')).stdout);
    const { ino } = statSync(schema);
    await foray('init', 'Epidemic', '-o', 'own/other.yaml');
    expect(statSync(schema).ino).toBe(ino);
    writeFileSync(schema, '{}');
    writeFileSync(join(folder, 'own/flu.yaml'), 'mine');
    const again = await foray('init', 'Epidemic', '-o', 'own/flu.yaml');
    expect([again.code, again.stderr]).toEqual([2, expect.stringMatching(/own\/flu\.yaml already exists/)]);
    expect(readFileSync(join(folder, 'own/flu.yaml'), 'utf8')).toBe('mine');
    await foray('init', 'Epidemic', '-o', 'own/third.yaml');
    expect(readFileSync(schema, 'utf8')).toContain('"$id"');
    expect((await foray('init', 'Epidemic', '-o', '/proc/x.yaml')).stderr).toMatch(/cannot be written/);
  });

  test('refuses an unknown model', async () => {
    const { code, stdout, stderr } = await foray('init', 'Epidemik', '-o', 'none.yaml');
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringMatching(/Did you mean "Epidemic"\?/)]);
    expect(readdirSync(folder)).not.toContain('none.yaml');
  });
});
