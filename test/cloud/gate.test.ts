import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { Gate } from '../../src/cloud/gate.ts';
import { retryAfterMs } from '../../src/cloud/retry-after.ts';
import { failure, startServer, type TestServer } from './support.ts';

/** Node's timers may fire a millisecond early. */
const SLACK_MS = 2;

/**
 * Stops the clock within each turn of the event loop. So the gate and the test read the same time for a request, also if
 * the machine stands still between the two.
 */
function stopClockInTurns(): void {
  const now = performance.now.bind(performance);
  let turn: number | undefined;
  jest.spyOn(performance, 'now').mockImplementation(() => {
    if (turn === undefined) {
      turn = now();
      setImmediate(() => (turn = undefined));
    }
    return turn;
  });
}

describe('Gate', () => {
  beforeEach(stopClockInTurns);
  afterEach(() => {
    jest.restoreAllMocks();
  });

  test('lets at most the requests of one second through at once, and then keeps the rate', async () => {
    const RATE = 50;
    const COUNT = 90;
    const gate = new Gate(RATE);
    const began = performance.now();
    const passedAt = await Promise.all(
      Array.from({ length: COUNT }, async () => {
        await gate.pass();
        return performance.now() - began;
      }),
    );
    passedAt.sort((a, b) => a - b);
    for (const [n, at] of passedAt.entries()) {
      expect(n + 1).toBeLessThanOrEqual(RATE + ((at + SLACK_MS) * RATE) / 1_000 + 1);
    }
    // the gate let all of them through
    expect(passedAt).toHaveLength(COUNT);
  });

  test('never exceeds the rate and the burst in any period', async () => {
    const RATE = 100;
    const gate = new Gate(RATE);
    const passedAt: number[] = [];
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let n = 0; n < 20; n += 1) {
          await gate.pass();
          passedAt.push(performance.now());
        }
      }),
    );
    for (const [from, start] of passedAt.entries()) {
      for (let to = from; to < passedAt.length; to += 1) {
        const seconds = (passedAt[to]! - start + SLACK_MS) / 1_000;
        expect(to - from + 1).toBeLessThanOrEqual(RATE + seconds * RATE + 1);
      }
    }
  });

  test('lets no more requests through at once after an idle time', async () => {
    const RATE = 20;
    const gate = new Gate(RATE);
    await delay(500);
    const began = performance.now();
    const passedAt = await Promise.all(
      Array.from({ length: RATE + 5 }, async () => {
        await gate.pass();
        return performance.now() - began;
      }),
    );
    passedAt.sort((a, b) => a - b);
    for (const [n, at] of passedAt.entries()) {
      expect(n + 1).toBeLessThanOrEqual(RATE + ((at + SLACK_MS) * RATE) / 1_000 + 1);
    }
  });

  test('lets the first request through with a rate below one', async () => {
    const gate = new Gate(0.001);
    await gate.pass();
    await expect(gate.pass(AbortSignal.timeout(30))).rejects.toThrow();
  });

  test('does not wait without a limit', async () => {
    const gate = new Gate(Infinity);
    for (let n = 0; n < 10_000; n += 1) await gate.pass();
  });

  test('lets nothing through while it is closed, and the longest of several pauses counts', async () => {
    const gate = new Gate(Infinity);
    const closedAt = performance.now();
    gate.blockFor(120);
    gate.blockFor(10);
    await Promise.all(Array.from({ length: 10 }, () => gate.pass()));
    expect(performance.now() - closedAt).toBeGreaterThanOrEqual(120 - SLACK_MS);
  });

  test.each([
    ['closed for a year', () => closed(365 * 24 * 3_600_000)],
    ['at one request in a thousand years', () => used(1e-11)],
  ])('waits without a busy loop when it is %s', async (_, create) => {
    const warnings: Error[] = [];
    const keep = (warning: Error): unknown => warnings.push(warning);
    process.on('warning', keep);
    try {
      await expect(create().pass(AbortSignal.timeout(50))).rejects.toThrow();
      // Node warns about a timer that is too long, but only in the next tick
      await new Promise((resolve) => setImmediate(resolve));
    } finally {
      process.off('warning', keep);
    }
    expect(warnings.map(({ name }) => name)).toEqual([]);
  });
});

describe('retryAfterMs', () => {
  const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);

  test.each<[string | undefined, number]>([
    [undefined, 0],
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7_000],
    ['Fri, 20 Nov 2026 12:00:30 GMT', 30_000],
    ['Friday, 20-Nov-26 12:00:30 GMT', 30_000],
    ['Fri Nov 20 12:00:30 2026 GMT', 30_000],
    ['Fri, 20 Nov 2026 11:59:00 GMT', 0],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 0],
    ['', 0],
    ['soon', 0],
    ['-5', 0],
    ['1.5', 0],
    ['86400', 86_400_000],
    ['86401', 86_400_000],
    ['9'.repeat(400), 86_400_000],
    ['Sat, 20 Nov 2100 12:00:30 GMT', 86_400_000],
  ])('a header of "%s" means a pause of %d ms', (header, ms) => {
    expect(retryAfterMs(header, NOW)).toBe(ms);
  });
});

describe('Retry-After of a service', () => {
  let server: TestServer;

  beforeEach(async () => {
    server = await startServer();
  });

  function onceThrottled(status: number, retryAfter: () => string): void {
    server.answer((response) => {
      if (server.asked.length === 1) response.writeHead(status, { 'retry-after': retryAfter() }).end('{}');
      else response.end('[]');
    });
  }

  test.each([
    [429, 'seconds'],
    [503, 'seconds'],
    [429, 'a date'],
  ])('no call sends a request before the time that an answer of %d gives as %s', async (status, form) => {
    let allowedAt = Infinity;
    // made only for the answer, so that a date is still in the future when the client reads it
    onceThrottled(status, () => {
      // a date has whole seconds, so the pause may be up to a second shorter
      const asks = form === 'seconds' ? '1' : new Date(Date.now() + 2_000).toUTCString();
      allowedAt = performance.now() + (form === 'seconds' ? 1_000 : Date.parse(asks) - Date.now());
      return asks;
    });
    const client = server.client();
    const error = await failure(client.listModels());
    expect([error.kind, error.isRetryable, error.mayHaveArrived]).toEqual(['throttled', true, false]);
    expect(error.retryAfter).toBeGreaterThan(0);
    expect(error.retryAfter).toBeLessThanOrEqual(2_000);
    // a service that has no room now is not asked too often
    if (status === 429) expect(error.hint).toMatch(/FORAY_SERVICE_RATE/);
    else expect(error.hint).not.toMatch(/FORAY_SERVICE_RATE/);
    await Promise.all([
      client.listModels(),
      client.listModels(),
      client.getModelByName('x').catch(() => undefined),
    ]);
    const [, ...later] = server.asked;
    expect(later.length).toBeGreaterThanOrEqual(3);
    for (const { at } of later) expect(at).toBeGreaterThanOrEqual(allowedAt - SLACK_MS);
  });

  test('a client that repeats its requests waits for this time', async () => {
    onceThrottled(429, () => '1');
    expect(await server.client({ attempts: 2 }).listModels()).toEqual([]);
    const [first, second] = server.asked;
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(1_000 - SLACK_MS);
  });

  test('a wait can be aborted', async () => {
    onceThrottled(429, () => '3600');
    const client = server.client();
    await failure(client.listModels());
    await expect(client.listModels(AbortSignal.timeout(30))).rejects.toThrow();
    expect(server.asked).toHaveLength(1);
  });

  test('a 429 or 503 without Retry-After delays no requests', async () => {
    const client = server.client();
    for (const [status, kind] of [
      [429, 'throttled'],
      [503, 'server'],
    ] as const) {
      server.say(status, '');
      const error = await failure(client.listModels());
      expect([error.kind, error.retryAfter]).toEqual([kind, 0]);
    }
    server.say(200, []);
    expect(await client.listModels()).toEqual([]);
  });

  test('the requests of a client do not exceed its rate', async () => {
    server.say(200, []);
    const began = performance.now();
    const client = server.client({ rate: 20 });
    await Promise.all(Array.from({ length: 30 }, () => client.listModels()));
    for (const [n, { at }] of server.asked.entries()) {
      expect(n + 1).toBeLessThanOrEqual(20 + ((at - began + SLACK_MS) * 20) / 1_000 + 1);
    }
  });
});

function closed(ms: number): Gate {
  const gate = new Gate(Infinity);
  gate.blockFor(ms);
  return gate;
}

/** A gate that has just let its only request through. */
function used(rate: number): Gate {
  const gate = new Gate(rate);
  void gate.pass();
  return gate;
}
