import { expect, test } from '@jest/globals';
import { haveOtherStores, readWorker, workerIdentity } from '../../src/client/worker-identity.ts';

const [store, service] = ['11111111-a', '22222222-b'];
const facts = { store, service, isRefused: false, ahead: 0 };

test.each([
  ['the same settings', facts, { store, service }, []],
  ['a service that did not answer', { ...facts, service: undefined }, { store, service }, []],
  ['settings whose store is unknown', facts, { store: undefined, service }, []],
  ['another store', facts, { store: '33333333', service }, ['it has another store']],
  [
    'another service and a wrong key',
    { ...facts, isRefused: true },
    { store, service: '33333333' },
    ['it has another model service', 'the model service refused its key when it started'],
  ],
])('the name of a worker tells its faults for %s', (_, worker, own, faults) => {
  const { name, ...read } = readWorker(workerIdentity(worker), own);
  expect(read).toEqual({ faults, ahead: 0 });
  expect(name).toMatch(/^\d+@\S+ foray \d+\.\d+\.\d+$/);
});

test('the name of a worker tells how far the clock of its service is ahead', () => {
  expect(readWorker(workerIdentity({ ...facts, ahead: -86_400_400 }), { store, service }).ahead).toBe(
    -86_400_000,
  );
});

test('two workers have other stores only if both names tell so', () => {
  const [one, other] = [facts, { ...facts, store: '33333333-c' }].map(workerIdentity) as [string, string];
  expect(haveOtherStores(one, other)).toBe(true);
  expect(haveOtherStores(one, one)).toBe(false);
  expect(haveOtherStores(one, 'another program')).toBe(false);
});
