import { describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import { ErrorBody } from '../../src/api/resources.ts';
import { addKey } from '../../src/keys/edit.ts';
import { keyFileIn } from '../../src/keys/file.ts';
import { limitRate } from '../../src/service/http/hooks/rate-limit.ts';
import { KEY, startTestService } from './support.ts';

describe('a JSON body or an upload', () => {
  test('that is larger than the limit is refused with 413, even if the client does not announce the size', async () => {
    const { running } = await startTestService({ limits: { body: 1_000, upload: 2_000 } });
    const post = async (path: string, size: number, isTold: boolean) => {
      const body = isTold ? Buffer.alloc(size, 'x') : new Blob([Buffer.alloc(size, 'x')]).stream();
      const response = await fetch(`${running.url}${path}`, {
        method: 'POST',
        headers: { Authorization: KEY },
        body,
        ...(!isTold && { duplex: 'half' }),
      });
      return { status: response.status, body: await response.json() };
    };
    for (const isTold of [true, false]) {
      expect((await post('/models/name/', 1_000, isTold)).status).toBe(404);
      expect((await post('/upload-file', 2_000, isTold)).status).toBe(200);
      for (const [path, size] of [
        ['/models/name/', 1_001],
        ['/upload-file', 2_001],
      ] as const) {
        const { status, body } = await post(path, size, isTold);
        const { code, message } = ErrorBody.parse(body);
        expect([path, status, code]).toEqual([path, 413, 'TOO_LARGE']);
        expect(message).toContain(`at most ${size - 1} bytes`);
      }
    }
  });
});

describe('the limit of requests per second', () => {
  test('counts the requests of each key separately, gives Retry-After, and exists only if the option is given', async () => {
    const service = await startTestService({ limits: { rate: 2 } });
    const other = await addKey(keyFileIn(service.dataDir), 'ada');
    const answers = await Promise.all(Array.from({ length: 40 }, () => service.get('/models')));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(answers.length - refused.length).toBeGreaterThanOrEqual(2);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, headers, body } of refused) {
      expect([status, ErrorBody.parse(body).code, headers.get('retry-after')]).toEqual([
        429,
        'RATE_LIMITED',
        '1',
      ]);
    }
    expect((await service.get('/models', { Authorization: other })).status).toBe(200);

    const unlimited = await startTestService();
    const all = await Promise.all(Array.from({ length: 100 }, () => unlimited.get('/models')));
    expect(all.map(({ status }) => status)).toEqual(Array(100).fill(200));
  });

  test('accepts at most the rate times the time plus one burst, and accepts a client that waits for the time in Retry-After', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.1, max: 50, noNaN: true }),
        fc.array(fc.double({ min: 0, max: 3_000, noNaN: true }), { maxLength: 200 }),
        (rate, pauses) => {
          let now = 0;
          const hook = limitRate(rate, () => now);
          const caller = { user: 'ada', keyHash: 'x' };
          const passes = (): true | number => {
            let answer: true | number = 0;
            try {
              hook({ caller }, undefined, () => (answer = true));
            } catch (error) {
              answer = Number((error as { headers: Record<string, string> }).headers['retry-after']);
            }
            return answer;
          };
          let through = 0;
          for (const pause of pauses) {
            now += pause;
            if (passes() === true) through++;
          }
          expect(through).toBeLessThanOrEqual(Math.max(1, rate) + (now / 1_000) * rate + 1e-6);
          // the largest burst is 50, so one of 60 requests at the same time is refused
          for (let tries = 0; tries < 60; tries++) {
            const wait = passes();
            if (wait === true) continue;
            now += wait * 1_000;
            expect(passes()).toBe(true);
            return;
          }
          expect(rate).toBeGreaterThan(49);
        },
      ),
    );
  });
});
