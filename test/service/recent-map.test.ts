import { expect, test } from '@jest/globals';
import { RecentMap } from '../../src/service/runs/recent-map.ts';

test('a full map of recent entries drops the entry that was added first; a new value of an entry does not change the order', () => {
  const map = new RecentMap<string, number>(2);
  map.set('a', 1).set('b', 2).set('a', 3);
  expect([...map]).toEqual([
    ['a', 3],
    ['b', 2],
  ]);
  map.set('c', 4);
  expect([...map]).toEqual([
    ['b', 2],
    ['c', 4],
  ]);
});
