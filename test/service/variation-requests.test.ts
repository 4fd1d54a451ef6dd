import { describe, expect, test } from '@jest/globals';
import type { Experiment, Outputs, Run } from '../../src/api/resources.ts';
import {
  booleans,
  doubles,
  executed,
  experiment,
  integers,
  request,
  variation,
  named,
  startMirror,
} from './experiments.ts';
import { reach, rows } from './support.ts';

describe('requests for a parameter variation', () => {
  test('that are impossible are refused with the reason, and start no run', async () => {
    const { service, version } = await startMirror();
    for (const [body, message] of [
      [variation({ N: doubles(0, 1, 0.5) }), /FIXED_RANGE_DOUBLE does not fit "N".*use FIXED_RANGE_INTEGER/],
      [variation({ Label: integers(0, 1) }), /does not fit "Label".*single value/],
      [variation({ X: booleans }), /does not fit "X"/],
      [variation({ N: integers(3, 1) }), /"N".*empty range/],
      [variation({ N: integers(1, 3, 0) }), /"N".*step must be positive/],
      [variation({ X: { type: 'FIXED_RANGE_DOUBLE', value: '{"min":1}' } }), /"X".*not a range like/],
      [variation({ X: { type: 'FIXED_RANGE_DOUBLE', value: 5 } }), /"X".*not a range like/],
      [variation({ N: integers(1, 200), X: doubles(1, 51, 1) }), /"X", "N" make 10,200 runs/],
      [variation({ X: doubles(-1e308, 1e308, 1e-300) }), /"X" make ∞ runs/],
      [experiment('SIMULATION', { N: integers(1, 3) }), /"N" is a range.*SIMULATION takes single values/],
      [experiment('SIMULATION', { N: '{"min":1,"max":2,"step":1}' }), /"N" \(INTEGER\)/],
    ] as const) {
      const answer = await request(service, version, body);
      expect(answer.body).toMatchObject({
        status: 400,
        code: 'INVALID_VALUE',
        message: expect.stringMatching(message),
      });
    }
    const unknown = await request(service, version, variation({ M: integers(1, 3) }));
    expect(unknown.body).toMatchObject({ status: 400, code: 'UNKNOWN_INPUT' });
    const animated = await request(service, version, experiment('ANIMATION_SVG', {}));
    expect(animated.body).toMatchObject({ status: 400, code: 'UNSUPPORTED_EXPERIMENT' });
    expect(rows(service.dataDir, 'SELECT * FROM runs')).toEqual([]);
  });

  test('may have the inputs of a stored experiment unchanged', async () => {
    const { service, version } = await startMirror();
    const { body: stored } = await service.get<Experiment[]>(`/versions/${version}/experiments`);
    const [{ type, inputs }] = stored as [Experiment];
    expect(inputs).toEqual([
      { name: '{RANDOM_SEED}', type: 'LONG', units: null, value: '1' },
      { name: 'X', type: 'FIXED_RANGE_DOUBLE', units: 'METER', value: '{"min":0,"max":1,"step":0.5}' },
      { name: 'N', type: 'INTEGER', units: null, value: '3' },
      { name: 'Big', type: 'LONG', units: null, value: '0' },
      { name: 'Flag', type: 'FULL_RANGE_BOOLEAN', units: null, value: '' },
      { name: 'Label', type: 'STRING', units: null, value: '' },
    ]);
    const body = { experimentType: type as 'PARAMETER_VARIATION', inputs };
    const { body: run } = await request(service, version, body);
    // a run shows its inputs in the form of the request
    expect(run.inputs).toEqual(inputs);
    await reach(service, run, 'COMPLETED');
    const { body: outputs } = await service.post<Outputs>(`/versions/${version}/results/${run.id}`, []);
    expect(JSON.parse(named(outputs, 'Sum').value)).toEqual([3, 3, 3.5, 3.5, 4, 4]);
  });

  test('that are identical make one experiment, even if 100 of them arrive at once; each run is executed once', async () => {
    const { service, version } = await startMirror();
    const spellings = [
      variation({ N: integers(1, 5), X: doubles(0, 1, 0.5) }),
      variation({
        x: { type: 'FIXED_RANGE_DOUBLE', value: '{"step":"0.50","max":"1.0","min":0}' },
        ' n ': { type: 'FIXED_RANGE_INTEGER', value: { min: '1', max: 5.9, step: 1 } },
        '{RANDOM_SEED}': '1',
      }),
    ];
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => request(service, version, spellings[i % 2]!)),
    );
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    await reach(service, answers[0]!.body, 'COMPLETED');
    const runs = executed(service.dataDir);
    expect([runs.length, runs.every(({ executions }) => executions === 1)]).toEqual([15, true]);
    expect(rows(service.dataDir, 'SELECT count(*) AS n FROM runs WHERE tasks IS NOT NULL')).toEqual([
      { n: 1 },
    ]);
    const { body: found } = await service.post<Run>(`/versions/${version}/run`, spellings[1]);
    expect([found.id, found.status]).toEqual([answers[0]!.body.id, 'COMPLETED']);
  });
});
