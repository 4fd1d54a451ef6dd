import { describe, expect, test } from '@jest/globals';
import { messageIn, outputsOf, reach, requestRun, startTestService } from '../service/support.ts';

describe('the model Rehearsal', () => {
  test('waits for the given time, and returns the value', async () => {
    const service = await startTestService();
    const version = await service.latest('Rehearsal');
    const start = performance.now();
    const outputs = await outputsOf(service, version, { Seconds: 0.6, Value: -1.25 });
    expect(outputs.get('Echo')).toBe('-1.25');
    expect(performance.now() - start).toBeGreaterThanOrEqual(600);
  });

  test('fails with Fail, with a failure rate of 1 and with invalid inputs, and never fails with a failure rate of 0', async () => {
    const service = await startTestService();
    const version = await service.latest('Rehearsal');
    for (const [inputs, reason] of [
      [{ Fail: true }, 'Rehearsal was told to fail'],
      [{ 'Failure rate': 1 }, 'Rehearsal failed by chance, at a failure rate of 1'],
      [{ 'Failure rate': 1.5 }, 'Failure rate is 1.5: it must be from 0 to 1'],
      [{ Seconds: -1 }, 'Seconds is -1: it must not be negative'],
    ] as const) {
      const { body: run } = await requestRun(service, version, { Seconds: 0, ...inputs });
      expect(messageIn(await reach(service, run, 'FAILED')).title).toBe(reason);
    }
    for (let Value = 0; Value < 30; Value++) await outputsOf(service, version, { Seconds: 0, Value });
  });
});
