import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { checkCampaign } from '../../src/client/check.ts';
import type { Explanation, Foray, Plan } from '../../src/client/index.ts';
import { planOf as planOfRuns } from '../../src/client/strategies.ts';
import { CloudClient } from '../../src/cloud/index.ts';
import { command, toTheEnd } from '../support/campaigns.ts';
import { testFolder } from '../support/test-folder.ts';
import { startWorld, type World } from '../support/world.ts';
import { EPIDEMIC, REHEARSAL, SERVICE_SYSTEM } from '../service/fixed.ts';

/** A model that limits the values of an input. */
const PICKY = `name: Picky
description: ''
command: node sim.mjs
inputs:
  - { name: N, type: DOUBLE, default: 3, min: 0 }
  - { name: '{MAX_MEMORY_MB}', type: INTEGER, default: 512 }
outputs:
  - { name: Out, type: DOUBLE }
`;

let world: World;
beforeAll(async () => {
  const picky = testFolder();
  writeFileSync(join(picky, 'model.yaml'), PICKY);
  writeFileSync(join(picky, 'sim.mjs'), 'console.log(JSON.stringify({ outputs: { Out: 1 } }));');
  world = await startWorld({ models: [REHEARSAL, EPIDEMIC, SERVICE_SYSTEM, picky] });
  await world.startWorker();
});
afterAll(() => world.close());

const run = (...args: string[]) => command(world, ...args);

function write(file: string, lines: string): string {
  writeFileSync(join(world.folder, file), lines);
  return file;
}

function flu(file: string, days: string, more = ''): string {
  const head = 'campaign: flu\nmodel: {name: Epidemic}\ninputs: {Population: 500}\n';
  return write(file, `${head}design:\n  grid:\n    Days: ${days}\n    Contact rate: [1.5, 2]\n${more}`);
}

function planOf(file: string, settings: Parameters<Foray['plan']>[1] = {}): Promise<Plan> {
  return world.foray.plan({ text: readFileSync(join(world.folder, file), 'utf8'), file }, settings);
}

/** Runs a campaign to its end. */
async function carryOut(file: string, id: string): Promise<void> {
  await world.foray.submit({ text: readFileSync(join(world.folder, file), 'utf8'), file }, { id });
  await toTheEnd(world, id);
}

describe('foray plan', () => {
  test('shows the points and the runs, how many runs exist and how many foray would start, and starts nothing', async () => {
    const file = flu('plan.yaml', '[3, 5, 7]', 'replications: 2\n');
    const before = await planOf(file);
    expect(before).toMatchObject({
      campaign: 'flu',
      model: { name: 'Epidemic', version: 1 },
      points: 3 * 2,
      replications: { min: 2, max: 2 },
      runs: 12,
      mostRuns: 12,
      there: 0,
      toRun: 12,
      asked: 12,
      error: 0,
      expectedSeconds: null,
      inputs: ['Days', 'Contact rate'],
      warnings: [],
    });
    expect(before.first.map(({ values }) => values.join())).toEqual(['3,1.5', '3,2', '5,1.5']);
    expect(before.last.map(({ values }) => values.join())).toEqual(['5,2', '7,1.5', '7,2']);
    expect(await planOf(file)).toEqual(before);

    // a part of the campaign runs first, so its results exist and its speed is known
    await carryOut(flu('part.yaml', '[3, 5]', 'replications: 2\n'), 'part');
    const after = await planOf(file);
    expect(after).toMatchObject({ there: 8, toRun: 4, basis: 'as in part' });
    expect(after.expectedSeconds).toBeGreaterThan(0);
    const { stdout } = await run('plan', file);
    expect(stdout).toMatch(
      /^flu: Epidemic \(version 1\)\n {2}points +6\n {2}replications +2\n {2}runs +12\n/,
    );
    expect(stdout).toMatch(/there +8\n {2}to run +4\n {2}expected +about \d+ s \(as in part\)/);
    expect(stdout).toContain('Days  Contact rate');

    await carryOut(file, 'whole');
    expect(await planOf(file)).toMatchObject({ there: 12, toRun: 0, expectedSeconds: 0 });
  });

  test('estimates the number of runs until precise from the variance of known runs', async () => {
    const precise = (name: string, more: string): string =>
      write(
        name,
        `campaign: q\nmodel: {name: Service System Demo}\ninputs: {"{STOP_TIME}": 300}\nseed: 3\n` +
          `design: {grid: {Server capacity: [8, 9]}}\nreplications: ${more}\n`,
      );
    const file = precise('until.yaml', '{min: 5, max: 100, output: Server utilization, relative: 0.05}');
    expect(await planOf(file, { runSeconds: 2 })).toMatchObject({
      runs: 10,
      mostRuns: 200,
      foreseen: null,
      expectedSeconds: 20,
      mostSeconds: 400,
    });
    expect((await run('plan', file, '--run-seconds', '2')).stdout).toMatch(
      /to run +at least 10\n {2}expected +at least 20 s, at most 6 min 40 s/,
    );
    await carryOut(precise('first.yaml', '5'), 'first-five');
    const { foreseen, ...plan } = await planOf(file, { runSeconds: 2 });
    expect(foreseen).toMatchObject({ points: 2 });
    expect(foreseen!.runs).toBeGreaterThan(10);
    expect(plan).toMatchObject({ there: 10, expectedSeconds: 2 * (foreseen!.runs - 10), mostSeconds: 380 });
    const { stdout } = await run('plan', file);
    expect(stdout).toContain(`about ${foreseen!.runs} runs, from the variance of 2 points at the service`);
    expect(stdout).toContain(`to run        about ${foreseen!.runs - 10}\n`);
  });

  test('uses the given duration of a run', async () => {
    const file = write('slow.yaml', 'campaign: slow\nmodel: {name: Rehearsal}\nconcurrency: 4\n');
    const plan = await planOf(file, { runSeconds: 30 });
    expect(plan).toMatchObject({ points: 1, runs: 1, expectedSeconds: 8, basis: '30 s a run, 4 at once' });
    expect((await run('plan', file, '--run-seconds', 'long')).stderr).toContain('a number above 0');
  });

  test('shows no existing runs for a fresh campaign', async () => {
    const file = write('fresh.yaml', 'campaign: f\nmodel: {name: Rehearsal}\nfresh: true\nreplications: 3\n');
    expect(await planOf(file)).toMatchObject({ runs: 3, there: 0, toRun: 3, asked: 0, error: 0 });
    expect((await run('plan', file)).stdout).toMatch(/there +0 \(nothing is reused\)/);
  });

  test('asks the service about a sample if there are more than 10,000 runs, and with --all about each run', async () => {
    const asksAbout = async (replications: number, all: boolean): Promise<number> => {
      const file = flu('many.yaml', '{from: 1, to: 20, step: 1}', `replications: ${replications}\n`);
      let questions = 0;
      // the first answer ends the plan, because then the test knows the number of questions
      const onAsked = (_: number, of: number): never => {
        questions = of;
        throw new Error('enough');
      };
      await expect(planOf(file, { all, onAsked })).rejects.toThrow('enough');
      return questions;
    };
    expect(await asksAbout(250, false)).toBe(10_000);
    expect(await asksAbout(251, false)).toBe(2_000);
    expect(await asksAbout(251, true)).toBe(10_040);
  });

  test('estimates from a sample how many runs exist, and shows the error', async () => {
    await carryOut(flu('few.yaml', '[2]', 'replications: 24\n'), 'few');
    const file = flu('sampled.yaml', '[2, 4, 6, 8]', 'replications: 24\n');
    const cloud = new CloudClient(world.settings.service);
    const checked = await checkCampaign(cloud, {
      text: readFileSync(join(world.folder, file), 'utf8'),
      file,
    });
    const estimate = await planOfRuns(cloud, checked, undefined, { ask: 100 });
    expect(estimate).toMatchObject({ runs: 192, asked: 99 });
    expect(estimate.error).toBeGreaterThan(0);
    expect(Math.abs(estimate.there - 48)).toBeLessThanOrEqual(estimate.error);
    expect(estimate.toRun).toBe(192 - estimate.there);

    // the existing runs are the first 48 of the design; a plan that stops early has answers from the whole design
    const stop = new AbortController();
    const onAsked = (asked: number): void => void (asked === 90 && stop.abort());
    // the answers come in the order of the questions; in another order, the estimate could miss its interval by chance
    let last: Promise<unknown> = Promise.resolve();
    const findRun: CloudClient['findRun'] = (...question) => {
      const ask = () => cloud.findRun(...question);
      const answer = last.then(ask, ask);
      last = answer;
      return answer;
    };
    const inOrder = { findRun } as CloudClient;
    const early = await planOfRuns(inOrder, checked, undefined, { ask: 200, signal: stop.signal, onAsked });
    expect(early.asked).toBe(90);
    expect(Math.abs(early.there - 48)).toBeLessThanOrEqual(early.error);
  });

  test('warns about unusual settings', async () => {
    const design = (text: string, more = ''): string =>
      write('odd.yaml', `campaign: odd\nmodel: {name: Epidemic}\ndesign: {${text}}\n${more}`);
    const warningsOf = async (text: string, more?: string) => (await planOf(design(text, more))).warnings;
    expect(await warningsOf('grid: {Days: [7], Contact rate: [1, 2]}')).toEqual([
      'The design gives "Days" one value only, 7.',
    ]);
    expect(await warningsOf('random: {points: 9, inputs: {Days: [7, 8]}}')).toEqual([
      'The design has 9 points, and only 2 are different. A point counts as often as the design has it, but it is run once, because all runs have the same seed. With "seed: 1", each of the 9 points is run with a seed of its own.',
    ]);
    const spread = '{inputs: {Contact rate: {min: 1, max: 2}, Recovery rate: {min: 0.3, max: 0.6}}, ';
    for (const [text, effect] of [
      [`saltelli: ${spread}points: 8}`, 'a part of the total indices'],
      [`morris: ${spread}trajectories: 4}`, 'makes μ* and σ too high'],
    ] as const)
      expect((await warningsOf(text, 'seed: 1\n')).at(-1)).toContain(effect);
    expect(await warningsOf('sobol: {points: 9, inputs: {Contact rate: {min: 1, max: 2}}}')).toEqual([
      '9 Sobol points are spread less evenly than 8, a power of 2.',
    ]);
    const cells = async (limits: string) =>
      (await warningsOf(`lhs: {points: 50, inputs: {Days: {distribution: triangular, mode: 5, ${limits}}}}`))
        .map((warning) => warning.split('. ')[0])
        .filter((warning) => warning!.includes('half as often'));
    expect(await cells('min: 1, max: 10')).toEqual([
      'The lowest and the highest value of "Days" are drawn about half as often as the distribution says, because its limits cut their cells',
    ]);
    expect(await cells('min: 0.5, max: 10.5')).toEqual([]);
    const { stderr } = await run('plan', design('grid: {Days: [7]}'));
    // a plan that takes longer than two seconds also prints its progress
    expect(stderr.replace(/^Asked the service about .*\n/gm, '')).toBe(
      'warning: The design gives "Days" one value only, 7.\n',
    );
  });

  test('shows the limits of a search, and separately the limits of the comparison of its best points', async () => {
    const search = (stop: string): string =>
      'campaign: best\nmodel: {name: Epidemic}\ninputs: {Population: 763}\nseed: 1\nsearch:\n  minimize: Peak infected\n' +
      `  over: {Contact rate: {min: 1.2, max: 2.2, digits: 2}}\n  stop: ${stop}\n` +
      '  confirm: {best: 2, replications: 3, indifference: 1, report: 5}\n';
    const file = write('best.yaml', search('{points: 6}'));
    const comparison = { best: 2, runs: 3 * 3 + 5, mostRuns: 3 * (2_000 + 5) };
    expect(await planOf(file, { runSeconds: 1 })).toMatchObject({
      points: 6,
      runs: 6 + comparison.runs,
      mostRuns: 6 + comparison.mostRuns,
      mostSeconds: 6 + comparison.runs,
      strategy: { by: 'search', confirm: comparison },
    });
    const { stdout } = await run('plan', file);
    expect(stdout).toMatch(/^ {2}points {8}at most 6$/m);
    expect(stdout).toMatch(/^ {2}runs {10}at most 6$/m);
    expect(stdout).toMatch(
      /^ {2}confirm {7}up to 14 runs for the 2 best points, or up to 6,015 runs if these points are hard to distinguish$/m,
    );

    const limit = ['--max-runs', String(6 + comparison.runs - 1)];
    const refused = await run('submit', file, '--id', 'best', ...limit);
    expect(refused.stderr).toContain(
      'at most 6 points and 6 runs; then up to 14 runs for the 2 best points, or up to 6,015 runs if these points are hard to distinguish',
    );
    expect(refused.stderr).toContain('Nothing was started');

    const endless = await run('plan', write('endless.yaml', search('{stall: 9}')));
    expect(endless.stdout).toMatch(/^ {2}points {8}no limit$/m);
    expect(endless.stderr).toContain('The search has no limit of points or runs');
  });

  test('shows the resolution and the defining relation of a fractional factorial design', async () => {
    const inputs =
      '{Contact rate: [1.2, 2.2], Recovery rate: [0.3, 0.6], Days: [7, 14], Population: [500, 900]}';
    const text = `campaign: flu\nmodel: {name: Epidemic}\ndesign: {factorial: {resolution: 4, inputs: ${inputs}}}\n`;
    const { code, stdout } = await run('plan', write('fraction.yaml', text));
    expect(code).toBe(0);
    expect(stdout).toContain(
      '  design        8 of 16 combinations, resolution IV: I = ABCD; A is Contact rate, B is Recovery rate, C is Days, D is Population\n',
    );
    expect(stdout).toMatch(/ {2}points {8}8\n/);
  });

  test('shows the line of a mistake, with a mark below the wrong word', async () => {
    const { code, stdout, stderr } = await run(
      'plan',
      write('typo.yaml', 'campaign: typo\nmodel: {name: Epidemic}\ninputs:\n  Contact rat: 2\n'),
    );
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.split('\n')).toEqual([
      'typo.yaml:4:3: The model "Epidemic" has no input "Contact rat". Did you mean "Contact rate"?',
      '  4 |   Contact rat: 2',
      '        ^',
      '',
    ]);
  });

  test('refuses a value that the model does not allow, and names the line and column of the value', async () => {
    const file = write('beyond.yaml', 'campaign: x\nmodel: {name: Picky}\ndesign: {grid: {N: [3, -5]}}\n');
    const refused = {
      code: 2,
      stderr: expect.stringMatching(/^beyond\.yaml:3:24: The value of "N" is -5, but must be at least 0\./),
    };
    expect(await run('plan', file)).toMatchObject(refused);
    expect(await run('submit', file, '--id', 'beyond')).toMatchObject(refused);
    expect((await run('models', 'Picky')).stdout).toMatch(/^ +N +DOUBLE +3 +at least 0$/m);
  });

  test('reports all mistakes of a definition at once, each with its line', async () => {
    const text =
      'campaign: x\nmodel: {name: Picky}\ninputs: {M: 1}\ndesign: {grid: {N: [3, -5]}}\noutputs: [Uot]\n';
    const { code, stdout, stderr } = await run('plan', write('mistakes.yaml', text), '--json');
    expect(code).toBe(2);
    expect(stderr.match(/^mistakes\.yaml:\d+:\d+/gm)).toEqual([
      'mistakes.yaml:3:10',
      'mistakes.yaml:5:11',
      'mistakes.yaml:4:24',
    ]);
    const { error } = JSON.parse(stdout) as { error: { code: string; others: { code: string }[] } };
    expect([error.code, ...error.others.map((other) => other.code)]).toEqual([
      'UNKNOWN_INPUT',
      'UNKNOWN_OUTPUT',
      'INVALID_VALUE',
    ]);
  });

  test('reports an error that only the service finds, and names the point', async () => {
    const file = write(
      'refused.yaml',
      'campaign: x\nmodel: {name: Picky}\ndesign: {grid: {"{MAX_MEMORY_MB}": [512, 8]}}\n',
    );
    const refused = {
      code: 2,
      stderr: expect.stringMatching(
        /The service refuses the point [0-9a-f]{16} \(\{MAX_MEMORY_MB\} 8\): .*"\{MAX_MEMORY_MB\}"/,
      ),
    };
    expect(await run('plan', file)).toMatchObject(refused);
    // submit refuses the definition before anything starts
    expect(await run('submit', file, '--id', 'picky')).toMatchObject(refused);
    expect((await run('status', 'picky')).code).toBe(2);
  });
});

describe('foray submit', () => {
  test('says on one line how large the campaign is, and refuses a large campaign without confirmation', async () => {
    const file = flu('limit.yaml', '[3, 5, 7]', 'replications: 2\n');
    const refused = await run('submit', file, '--id', 'limited', '--max-runs', '11');
    expect([refused.code, refused.stdout]).toEqual([2, '']);
    expect(refused.stderr).toMatch(
      /^6 points, 2 replications, 12 runs: (about )?\d+ there, (about )?\d+ to run.*\n/,
    );
    expect(refused.stderr).toMatch(
      /foray: The campaign has 12 runs, more than 11\. Nothing was started\. Add --yes/,
    );
    expect((await run('status', 'limited')).code).toBe(2);

    const precise = flu(
      'precise.yaml',
      '[3]',
      'replications: {min: 2, max: 6000, output: Peak day, relative: 0.1}\n',
    );
    expect((await run('submit', precise)).stderr).toMatch(/may need 12,000 runs, more than 10,000/);

    expect((await run('submit', file, '--id', 'limited', '--max-runs', '11', '--yes')).code).toBe(0);
    expect((await run('submit', file, '--max-runs', '0')).stderr).toMatch(/whole number of at least 1/);
  });
});

describe('foray explain', () => {
  test('shows the inputs of a point, and the state of each run with its reason', async () => {
    const text = 'campaign: e\nmodel: {name: Rehearsal}\ninputs: {Seconds: 0}\nreplications: 2\n';
    await carryOut(write('e.yaml', `${text}design: {grid: {Fail: [false, true]}}\n`), 'e');
    const advice = '2 runs failed. "foray status e --failures" lists the causes and points, ';
    expect((await run('status', 'e')).stdout).toContain(advice);
    expect((await run('watch', 'e')).stderr).toContain(advice);
    const { stdout } = await run('results', 'e', '--format', 'jsonl');
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { point: string; Fail: boolean });
    const good = rows.find(({ Fail }) => !Fail)!.point;
    const bad = rows.find(({ Fail }) => Fail)!.point;

    const explained = JSON.parse((await run('explain', 'e', good, '--json')).stdout) as Explanation;
    expect(explained).toMatchObject({
      campaign: 'e',
      phase: 'completed',
      point: good,
      place: 1,
      precision: [],
    });
    expect(explained.inputs.slice(0, 2)).toEqual([
      { name: 'Fail', value: 'false', file: null, units: null, isVaried: true },
      { name: 'Seconds', value: '0', file: null, units: 'SECOND', isVaried: false },
    ]);
    expect(explained.runs).toMatchObject([
      { replication: 1, state: 'done', why: 'This campaign started the run.' },
      { replication: 2, state: 'done', why: 'This campaign started the run.' },
    ]);
    const seeds = explained.runs.map(({ seed }) => seed);
    expect(new Set(['1', ...seeds]).size).toBe(3);
    expect((await world.foray.explain('e', bad)).runs[0]).toMatchObject({
      state: 'failed',
      why: expect.stringMatching(/^It failed: .*"foray retry [\w-]+" requests it again\.$/),
    });
    const told = await run('explain', 'e', good.slice(0, 6).toUpperCase());
    expect(told.stdout).toMatch(
      new RegExp(`^${good}: a point of e \\(completed\\), number 1 of the design\n`),
    );
    expect(told.stdout).toMatch(/replication +state +seed/);

    expect(await run('explain', 'e', 'nowhere')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^foray: The campaign "e" has no point "nowhere"\. "foray results e" shows/,
      ),
    });
    expect((await run('explain', 'e', '')).stderr).toMatch(/Several points of "e" begin with/);
  });

  test('shows the name of a file, and its hash only in the JSON', async () => {
    write('cases.csv', 'day,cases\n1,3\n2,8\n');
    const path = JSON.stringify(join(world.folder, 'cases.csv'));
    const text = `campaign: f\nmodel: {name: Epidemic}\nfiles: {Observed cases: ${path}}\ndesign: {grid: {Days: [3]}}\n`;
    await carryOut(write('f.yaml', `${text}outputs: [Peak infected]\n`), 'f');
    const { stdout } = await run('results', 'f', '--format', 'jsonl');
    const { point } = JSON.parse(stdout) as { point: string };
    const told = await run('explain', 'f', point);
    expect(told.stdout).toMatch(new RegExp(`^ {2}Observed cases +${path.slice(1, -1)}$`, 'm'));
    const { inputs } = await world.foray.explain('f', point);
    const { value, file } = inputs.find(({ name }) => name === 'Observed cases')!;
    expect(file).toBe(join(world.folder, 'cases.csv'));
    expect(value).not.toBe('');
    expect(told.stdout).not.toContain(value);
  });
});

describe('foray results --points', () => {
  test('has one row per point, with the interval of each mean', async () => {
    const text = `campaign: p
model: {name: Service System Demo}
inputs: {"{STOP_TIME}": 200}
design: {grid: {Server capacity: [9, 12]}}
replications: {min: 4, max: 5, output: Server utilization, relative: 0.0001}
outputs: [Server utilization, Queue|Waiting]
`;
    await carryOut(write('p.yaml', text), 'p');
    const runs = (await run('results', 'p', '--format', 'jsonl')).stdout.trim().split('\n');
    const values = runs
      .slice(0, 5)
      .map((line) => (JSON.parse(line) as Record<string, number>)['Server utilization']!);
    const { stdout } = await run('results', 'p', '--points', '--format', 'csv');
    const [head, ...rows] = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(','));
    const quantiles = ['q05', 'q25', 'median', 'q75', 'q95'];
    const statistics = ['n', 'mean', 'sd', 'low', 'high', 'min', ...quantiles, 'max', 'reached'];
    expect(head).toEqual([
      ...['point', 'Server capacity', 'replications', 'failed'],
      ...statistics.map((name) => `Server utilization ${name}`),
    ]);
    expect(rows).toHaveLength(2);
    const mean = values.reduce((a, b) => a + b) / 5;
    const sd = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 4);
    const t = 2.7764451051977987; // the 0.975 quantile of Student's t with 4 degrees of freedom
    const [capacity, replications, failed, n, ...numbers] = rows[0]!.slice(1).map(Number);
    expect([capacity, replications, failed, n]).toEqual([9, 5, 0, 5]);
    // the interval of skewed values is wider (docs/reference/definition.md)
    const moment = (power: number) => values.reduce((sum, value) => sum + (value - mean) ** power, 0) / 5;
    const skewness = moment(3) / moment(2) ** 1.5;
    const z = 1.959963984540054; // the 0.975 quantile of the normal distribution
    const wider = Math.sqrt(1 + (skewness ** 2 * (z ** 4 + 2 * z ** 2 - 3)) / (9 * 5));
    const half = (wider * t * sd) / Math.sqrt(5);
    const expected = [mean, sd, mean - half, mean + half, Math.min(...values)];
    for (const [at, value] of expected.entries()) expect(numbers[at]).toBeCloseTo(value, 12);
    expect(numbers[10]).toBe(Math.max(...values));
    expect(rows[0]!.at(-1)).toBe('false');
  });
});

describe('a goal', () => {
  const line = (stdout: string, start: string): string =>
    stdout.split('\n').find((each) => each.trimStart().startsWith(start)) ?? '';

  test('is in the plan and in the report, and apply can change it', async () => {
    const lowest = flu('goal.yaml', '[3, 5]', 'goal: {minimize: Peak infected}\n');
    expect(line((await run('plan', lowest)).stdout, 'goal')).toMatch(/lowest Peak infected/);
    await carryOut(lowest, 'goal');

    const highest = flu('goal.yaml', '[3, 5]', 'goal: {maximize: Peak infected}\n');
    const applied = await run('apply', 'goal', highest, '--yes');
    expect(applied).toMatchObject({ code: 0 });
    expect(applied.stdout + applied.stderr).toMatch(/goal/);

    const page = join(world.folder, 'goal.html');
    expect(await run('report', 'goal', '--output', page)).toMatchObject({ code: 0 });
    expect(readFileSync(page, 'utf8')).toMatch(/Highest\s+Peak infected/);
    expect(await run('report', 'goal', '--output', page, '--minimize', 'Peak infected')).toMatchObject({
      code: 0,
    });
    expect(readFileSync(page, 'utf8')).toMatch(/Lowest\s+Peak infected/);
  });

  test('is a comment in the definition that init writes for a model with numeric outputs', async () => {
    const written = await run('init', 'Epidemic', '--output', 'init.yaml');
    expect(written).toMatchObject({ code: 0 });
    const text = readFileSync(join(world.folder, 'init.yaml'), 'utf8');
    const comment = /^# (goal: .*?\}) #.*$/m;
    expect(text).toMatch(comment);
    const plan = await world.foray.plan({ text: text.replace(comment, '$1'), file: 'init.yaml' });
    expect(plan.goal).toMatchObject({ wants: 'lowest' });
  });
});
