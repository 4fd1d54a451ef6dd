import { expect, test } from '@jest/globals';
import { Gathered } from '../../src/service/runs/gathered.ts';

/** Tasks that double numbers. Tasks run in groups, and a group with a negative number fails. */
function doubles(mayBeOfOne: boolean) {
  const groups: number[][] = [];
  const gathered = new Gathered<number, number>({
    most: 3,
    mayBeOfOne: () => mayBeOfOne,
    async act(numbers) {
      groups.push([...numbers]);
      await Promise.resolve();
      if (numbers.some((number) => number < 0)) throw new Error('negative');
      return numbers.map((number) => 2 * number);
    },
  });
  const outcomes = async (numbers: readonly number[]) =>
    (await Promise.allSettled(numbers.map((number) => gathered.do(number)))).map((settled) =>
      settled.status === 'fulfilled' ? settled.value : 'failed',
    );
  return { groups, outcomes };
}

test('the first task runs immediately, and tasks that arrive meanwhile run in groups after it', async () => {
  const { groups, outcomes } = doubles(true);
  expect(await outcomes([1, 2, 3, 4, 5])).toEqual([2, 4, 6, 8, 10]);
  expect(groups).toEqual([[1], [2, 3, 4], [5]]);
});

test('if the failure of a group may come from one task, the tasks run again one by one; otherwise the whole group fails', async () => {
  const own = doubles(true);
  expect(await own.outcomes([1, 2, -3, 4])).toEqual([2, 4, 'failed', 8]);
  expect(own.groups).toEqual([[1], [2, -3, 4], [2], [-3], [4]]);
  const shared = doubles(false);
  expect(await shared.outcomes([1, 2, -3, 4])).toEqual([2, 'failed', 'failed', 'failed']);
});
