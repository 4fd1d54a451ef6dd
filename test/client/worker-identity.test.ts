import { expect, test } from '@jest/globals';
import { haveOtherStores, readWorker, workerIdentity } from '../../src/client/worker-identity.ts';

const [store, service] = ['11111111-a', '22222222-b'];
const facts = { store, service, isRefused: false, ahead: 0, hasCodec: false };
/** The settings of a caller that are the same. */
const same = { store, service, hasCodec: false };

test.each([
  ['the same settings', facts, {}, []],
  ['the same settings with a codec', { ...facts, hasCodec: true }, { hasCodec: true }, []],
  [
    'a codec that it lacks',
    facts,
    { hasCodec: true },
    ['it has no payload codec, and so cannot read new campaigns'],
  ],
  [
    'a codec of its own',
    { ...facts, hasCodec: true },
    {},
    ['it has a payload codec, which the settings here do not name'],
  ],
  ['a service that did not answer', { ...facts, service: undefined }, {}, []],
  ['settings whose store is unknown', facts, { store: undefined }, []],
  ['another store', facts, { store: '33333333' }, ['it has another store']],
  ['the same file', { ...facts, file: '1-2' }, { file: '1-2' }, []],
  ['a caller without a file', { ...facts, file: '1-2' }, {}, []],
  [
    'a copy of the store',
    { ...facts, file: '1-2' },
    { file: '1-3' },
    ['its store is another file, which was moved, replaced or copied'],
  ],
  [
    'another file of another store',
    { ...facts, file: '1-2' },
    { file: '1-3', store: '33333333' },
    ['it has another store'],
  ],
  [
    'another service and a wrong key',
    { ...facts, isRefused: true },
    { service: '33333333' },
    ['it has another model service', 'the model service refused its key when it started'],
  ],
])('the name of a worker tells its faults for %s', (_, worker, own, faults) => {
  const { name, ...read } = readWorker(workerIdentity(worker), { ...same, ...own });
  expect(read).toEqual({ faults, ahead: 0 });
  expect(name).toMatch(/^\d+@\S+ foray \d+\.\d+\.\d+$/);
});

test('the name of a worker tells how far the clock of its service is ahead', () => {
  expect(readWorker(workerIdentity({ ...facts, ahead: -86_400_400 }), same).ahead).toBe(-86_400_000);
});

test('files of two machines are not compared', () => {
  const identity = workerIdentity({ ...facts, file: '1-2' }).replace(/@\S+/, '@elsewhere');
  expect(readWorker(identity, { ...same, file: '1-3' }).faults).toEqual([]);
});

test('two workers have other stores only if both names tell so', () => {
  const [one, other] = [facts, { ...facts, store: '33333333-c' }].map(workerIdentity) as [string, string];
  expect(haveOtherStores(one, other)).toBe(true);
  expect(haveOtherStores(one, one)).toBe(false);
  expect(haveOtherStores(one, 'another program')).toBe(false);
});
