import { afterAll, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import { endpoints } from '../../src/api/endpoints.ts';
import { isCloudError } from '../../src/cloud/index.ts';
import { calls, startServer } from '../cloud/support.ts';
import { isFull, report, seeds } from '../support/seeds.ts';

/**
 * For every answer of a service, the client gives a valid value or throws a CloudError whose text is one line. The
 * client throws nothing else.
 */

const RUNS = isFull ? 10_000 : 2_500;
const AT_ONCE = 25;

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const anyJson = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
const strange = fc.constantFrom<Json>(
  ...[null, '', 'ERROR', 'QUEUED', -1, 1e300, 0.5, [], {}, { __proto__: null, toString: 1 }, [[]], true],
  ...['__proto__', '\u0000', '<html>', '9'.repeat(400), { status: 'ERROR' }, { length: 3 }],
);

/** Replaces, removes, repeats or adds a part of the value. */
function mutated(value: Json, choose: (most: number) => number, other: () => Json): Json {
  if (choose(4) === 0 || typeof value !== 'object' || value === null) return other();
  const keys = Object.keys(value);
  if (keys.length === 0) return other();
  const key = keys[choose(keys.length)]!;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, Json>;
  switch (choose(5)) {
    case 0:
      delete copy[key];
      break;
    case 1:
      copy[`${key}x`] = other();
      break;
    case 2:
      if (Array.isArray(copy)) copy.push(copy[Number(key)] as never);
      else copy[key] = [copy[key]!, copy[key]!];
      break;
    default:
      copy[key] = mutated(copy[key]!, choose, other);
  }
  return copy;
}

/** Cuts the text, repeats its end, or changes one of its bytes. */
function mangled(bytes: Buffer, how: number, at: number): Buffer {
  const place = at % (bytes.length + 1);
  if (how === 0) return bytes.subarray(0, place);
  if (how === 1) return Buffer.concat([bytes, bytes.subarray(place)]);
  const copy = Buffer.from(bytes);
  if (place < copy.length) copy[place] = how;
  return copy;
}

const mutation = fc.record({
  call: fc.nat(calls.length - 1),
  choices: fc.array(fc.nat(1_000), { minLength: 16, maxLength: 16 }),
  others: fc.array(fc.oneof(anyJson, strange), { minLength: 1, maxLength: 4 }),
  /** How to change the bytes of the text. A number below 0 leaves the bytes unchanged. */
  how: fc.oneof({ weight: 3, arbitrary: fc.constant(-1) }, { weight: 1, arbitrary: fc.nat(255) }),
  at: fc.nat(),
  status: fc.oneof(
    { weight: 12, arbitrary: fc.constant(200) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(201, 204, 206, 300, 302, 400, 401, 404, 418, 429, 500, 503, 599),
    },
  ),
  type: fc.constantFrom('application/json', 'text/html', 'application/octet-stream', ''),
});

const figure = { answers: 0, values: 0, errors: 0 };
afterAll(() => {
  report(
    `${figure.answers} mutated answers: ${figure.values} valid values, ${figure.errors} classified errors, nothing else`,
  );
});

test.each(seeds(1, 10))(
  `${RUNS} mutated answers give valid values or classified errors, seed %i`,
  async (seed) => {
    const server = await startServer();
    const bodies = new Map<string, { status: number; type: string; body: Buffer }>();
    server.answer((response, { headers }) => {
      server.asked.length = 0;
      const { status, type, body } = bodies.get(String(headers['x-mutation']))!;
      response.writeHead(status, type ? { 'content-type': type } : {}).end(body);
    });
    const tally = { values: 0, errors: new Map<string, number>(), unreachable: new Set<string>() };
    let number = 0;

    await fc.assert(
      fc.asyncProperty(fc.array(mutation, { minLength: AT_ONCE, maxLength: AT_ONCE }), async (batch) => {
        await Promise.all(
          batch.map(async ({ call: which, choices, others, how, at, status, type }) => {
            const { name, call, answer } = calls[which]!;
            let chosen = 0;
            const choose = (most: number): number => choices[chosen++ % choices.length]! % most;
            const value = mutated(answer as Json, choose, () => others[choose(others.length)]!);
            const text = Buffer.from(JSON.stringify(value) ?? '');
            const id = String((number += 1));
            bodies.set(id, { status, type, body: how < 0 ? text : mangled(text, how, at) });
            // the key tells the server which answer to send
            const client = server.client({ key: id, keyHeader: 'X-Mutation' });
            try {
              const result = await call(client);
              tally.values += 1;
              if (name !== 'stopRun') {
                expect(endpoints[name as keyof typeof endpoints].response.safeParse(result).success).toBe(
                  true,
                );
              }
            } catch (error) {
              if (!isCloudError(error)) throw error;
              expect(error.toLine()).not.toContain('\n');
              if (error.kind === 'unreachable') tally.unreachable.add(error.message);
              tally.errors.set(error.kind, (tally.errors.get(error.kind) ?? 0) + 1);
            } finally {
              bodies.delete(id);
            }
          }),
        );
      }),
      { numRuns: RUNS / AT_ONCE, endOnFailure: true, seed },
    );

    figure.answers += number;
    figure.values += tally.values;
    figure.errors += [...tally.errors.values()].reduce((sum, count) => sum + count, 0);
    // without all kinds of answers and errors, the test would prove nothing
    expect(number).toBe(RUNS);
    expect(tally.values).toBeGreaterThan(RUNS / 50);
    for (const kind of ['malformed', 'server', 'refused', 'not-found', 'unauthorized', 'throttled']) {
      expect([kind, (tally.errors.get(kind) ?? 0) > 0]).toEqual([kind, true]);
    }
    expect([...tally.unreachable]).toEqual([]);
  },
);
