import { describe, expect, test } from '@jest/globals';
import type { Experiment } from '../../../src/api/resources.ts';
import { solve } from '../../../models/epidemic/sir.ts';
import {
  EPIDEMIC,
  messageIn,
  outputsOf,
  reach,
  requestRun,
  sharedService,
  startTestService,
  type TestService,
  upload,
} from '../../service/support.ts';
import { observedCsv } from './boarding-school.ts';

const shared = sharedService({ modelDirs: [EPIDEMIC] });

async function failure(service: TestService, inputs: Parameters<typeof outputsOf>[2]): Promise<string> {
  const { body: run } = await requestRun(service, await service.latest('Epidemic'), inputs);
  return messageIn(await reach(service, run, 'FAILED')).title!;
}

describe('the model Epidemic', () => {
  test('gives all its outputs, including the fit to the observed cases', async () => {
    const service = shared();
    const { body: hash } = await upload(service, observedCsv);
    const version = await service.latest('Epidemic');
    const inputs = { 'Contact rate': 1.663, 'Recovery rate': 0.44 };
    const outputs = await outputsOf(service, version, { ...inputs, 'Observed cases': hash });
    expect(Number(outputs.get('Fit error'))).toBeCloseTo(17.218, 3);

    const days = Array.from({ length: 15 }, (_, day) => day);
    const parameters = {
      population: 763,
      initiallyInfected: 1,
      contactRate: 1.663,
      recoveryRate: 0.44,
      days: 14,
    };
    const course = solve(parameters, days);
    expect(Number(outputs.get('Peak infected'))).toBe(course.peakInfected);
    expect(Number(outputs.get('Peak day'))).toBe(course.peakDay);
    expect(Number(outputs.get('Attack rate'))).toBe((763 - course.last.susceptible) / 763);
    const infected = course.states.map(({ infected }) => infected);
    expect(JSON.parse(outputs.get('Infected')!)).toEqual({ dataX: days, dataY: infected });

    const { hash: file, localPath } = JSON.parse(outputs.get('Trajectory')!) as Record<string, string>;
    const { body: url } = await service.get<string>(`/output-file?hash=${file}&filename=${localPath}`);
    const [header, ...lines] = (await (await fetch(url)).text()).trimEnd().split('\n');
    expect(header).toBe('day,susceptible,infected,recovered');
    expect(lines.map((line) => Number(line.split(',')[2]))).toEqual(infected);

    // a hash with the name of the file means the same as the hash alone
    const named = { ...inputs, 'Observed cases': JSON.stringify({ hash, localPath: 'observed.csv' }) };
    expect((await requestRun(service, version, named)).body.status).toBe('COMPLETED');
  });

  test('has no fit error without observed cases', async () => {
    const service = shared();
    const outputs = await outputsOf(service, await service.latest('Epidemic'));
    expect(outputs.get('Fit error')).toBe('null');
    expect(Number(outputs.get('Peak infected'))).toBeGreaterThan(290);
  });

  test('gives the same outputs, byte for byte, for the same seed, and other outputs for another seed', async () => {
    // each run has a service of its own, because a service would reuse the run
    const run = async (seed: number) => {
      const service = await startTestService({ modelDirs: [EPIDEMIC] });
      const version = await service.latest('Epidemic');
      return await outputsOf(service, version, {
        Stochastic: true,
        'Initially infected': 20,
        '{RANDOM_SEED}': seed,
      });
    };
    const [one, again, other] = [await run(5), await run(5), await run(6)];
    expect([...again]).toEqual([...one]);
    expect(other.get('Infected')).not.toBe(one.get('Infected'));
  });

  test('has a stored experiment for each of its two forms', async () => {
    const service = shared();
    const version = await service.latest('Epidemic');
    const { body } = await service.get<Experiment[]>(`/versions/${version}/experiments`);
    expect(
      body.map(({ name, type, inputs }) => [
        name,
        type,
        inputs.find((item) => item.name === 'Stochastic')!.value,
      ]),
    ).toEqual([
      ['Baseline', 'SIMULATION', 'false'],
      ['Stochastic', 'SIMULATION', 'true'],
    ]);
  });

  test('says what is wrong with its inputs', async () => {
    const service = shared();
    const { body: broken } = await upload(service, 'day,cases\n1,3\n2;8\n');
    const { body: late } = await upload(service, 'day,cases\n1,3\n99,8\n');
    const { body: bare } = await upload(service, 'day,cases\n');
    const { body: headless } = await upload(service, '0,3\n1,8\n');
    const { body: carriageReturns } = await upload(service, 'day,cases\r1,3\r2;8\r');
    for (const [inputs, reason] of [
      [{ 'Observed cases': broken }, 'Observed cases, line 3: "2;8"'],
      [{ 'Observed cases': headless }, 'Observed cases, line 1: "0,3" is not a header'],
      [{ 'Observed cases': carriageReturns }, 'Observed cases, line 3: "2;8"'],
      [{ 'Observed cases': late }, 'day 99, but Days is 14'],
      [{ 'Observed cases': bare }, 'no lines after its header'],
      [{ Days: 0 }, 'Days is 0'],
      [{ Population: 0 }, 'Population is 0'],
      [{ 'Initially infected': 764 }, 'Initially infected is 764'],
      [{ 'Contact rate': -1 }, 'Contact rate is -1'],
      [{ 'Contact rate': 1e308, Stochastic: true }, 'Contact rate is 1e+308: it must be from 0 to 1000000'],
      [{ 'Recovery rate': -1 }, 'Recovery rate is -1'],
    ] as const) {
      expect(await failure(service, inputs)).toContain(reason);
    }
  });
});
