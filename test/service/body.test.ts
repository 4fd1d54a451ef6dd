import { expect, test } from '@jest/globals';
import { RunRequest } from '../../src/api/resources.ts';
import { bodyReader } from '../../src/service/http/body.ts';

function bodyOf(value: string): string {
  return JSON.stringify({ experimentType: 'SIMULATION', inputs: [{ name: 'Rate', value }] });
}

test('a body is kept, and frozen, when it comes again', () => {
  const read = bodyReader(RunRequest);
  const [first, second, third] = [read(bodyOf('1')), read(bodyOf('1')), read(bodyOf('1'))];
  expect(first).toEqual({ experimentType: 'SIMULATION', inputs: [{ name: 'Rate', value: '1' }] });
  expect(second).toEqual(first);
  expect([first, second].map((body) => Object.isFrozen(body))).toEqual([false, true]);
  expect(third).toBe(second);
  expect(read(bodyOf('2'))).toMatchObject({ inputs: [{ value: '2' }] });
});

test('a large body is read each time', () => {
  const read = bodyReader(RunRequest);
  const text = bodyOf('x'.repeat(10_000));
  const bodies = [read(text), read(text), read(text)];
  expect(new Set(bodies).size).toBe(3);
  expect(bodies[2]).toEqual(bodies[0]);
});

test('a body that is refused is refused again', () => {
  const read = bodyReader(RunRequest);
  for (let time = 0; time < 3; time += 1) expect(() => read('{"inputs": []}')).toThrow('experimentType');
});
