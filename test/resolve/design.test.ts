import { describe, expect, test } from '@jest/globals';
import { HEAD } from '../campaign/support.ts';
import { refusal, resolve, write } from './support.ts';

/**
 * Expects that foray refuses a definition with an error at the §. The mistake is one that only the points show. The
 * definition is given without its head and checked with it.
 */
async function expectRefused(marked: string, code: string, message: string): Promise<void> {
  const before = (HEAD + marked).split('§')[0]!;
  const place = {
    file: 'campaign.yaml',
    line: before.split('\n').length,
    column: before.length - before.lastIndexOf('\n'),
  };
  expect(await refusal(marked.replace('§', ''))).toMatchObject({ code, message, place });
}

describe('the number of points', () => {
  test.each([
    ['', 1],
    ['design: {grid: {Days: [1, 2], Title: [a, b, c]}}', 6],
    ['design: {oneAtATime: {Days: [14, 15], Title: [none, a]}}', 3],
    ['design: {random: {points: 40, inputs: {Stochastic: [true, false]}}}', 2],
    ['design: {lhs: {points: 40, inputs: {Contact rate: {min: 0, max: 1}}}}', 40],
    ['design: {union: [{grid: {Days: [1, 2]}}, {grid: {Days: [2, 3]}}]}', 3],
    ['design: {grid: {Days: {from: 1, to: 9, step: 1}}, where: "Days % 3 == 0"}', 3],
    ['design: {grid: {Days: [1, 2]}, derive: {Population: "Days * 2"}}', 2],
    // a derived value may be invalid for a point that the condition leaves out
    ['design: {grid: {Days: [0, 1, 2]}, derive: {Contact rate: "0 / Days + 1"}, where: "Days > 0"}', 2],
    ['design: {grid: {Days: [1, 2]}, derive: {Population: "Days / 2"}, where: "Population >= 1"}', 1],
    ['design: {product: [{grid: {Days: [1, 2]}, where: "Days > 1"}, {grid: {Title: [a, b]}}]}', 2],
  ])('of the definition %j is %i', async (body, points) => {
    expect((await resolve(body)).points).toBe(points);
  });
});

describe('foray finds a mistake that only the points show', () => {
  test('a condition is refused if no point meets the condition', async () => {
    const message = 'The design has no points: no point meets "where".';
    await expectRefused('§design: {grid: {Days: [1, 2]}, where: "Days > 2"}', 'EMPTY_DESIGN', message);
    const product = '{product: [{grid: {Title: [a]}}, {grid: {Days: [1]}, where: "Days > 2"}]}';
    await expectRefused(`§design: ${product}`, 'EMPTY_DESIGN', message);
  });

  test('a condition is refused if none of the drawn points meets it, in words that are true', async () => {
    const random = 'random: {points: 1200, inputs: {Days: {min: 1, max: 9}}}';
    const message = (draws: string): string =>
      `The design has no points: none of its ${draws} drawn points meets "where".`;
    await expectRefused(`§design: {${random}, where: "Days > 9"}`, 'EMPTY_DESIGN', message('20,000'));
    await expectRefused(
      `§design: {product: [{${random}}], where: "Days > 9"}`,
      'EMPTY_DESIGN',
      message('1,200'),
    );
  });

  test('a condition may leave one member of a union without points', async () => {
    const { points } = await resolve(
      'design: {union: [{grid: {Title: [a]}}, {grid: {Days: [1]}, where: "Days > 2"}]}',
    );
    expect(points).toBe(1);
  });

  test.each([
    [
      'design: {grid: {Days: [16, 17]}, derive: {Population: §"Days / 2"}}',
      'The value of "Population" is 8.5, which is not a whole number where Days is 17.',
    ],
    [
      'design: {grid: {Days: [1, 0]}, derive: {contact RATE: §"0 / Days"}}',
      'The value of "Contact rate" is NaN, which is not a number where Days is 0.',
    ],
    [
      'design: {grid: {Days: [1, 0]}, derive: {Title: "\'a\'", Contact rate: §"log(Days)"}}',
      'The value of "Contact rate" is -Infinity, which is not a number where Days is 0.',
    ],
    [
      'design: {union: [{grid: {Title: [a]}}, {product: [{grid: {Days: [0]}, derive: {Budget: §"1 / Days"}}]}]}',
      'The value of "Budget" is Infinity, which is not a number where Days is 0.',
    ],
    [
      'design: {grid: {Days: [10, 17]}, derive: {Initially infected: §"Days * 10"}}',
      'The value of "Initially infected" is 170, but must be at most 100 (point 2).',
    ],
    [
      // the smallest size of this design has no such point
      'design: {saltelli: {points: {min: 8, max: 1024, width: 0.1}, inputs: {Days: {min: 1, max: 20}, Contact rate: {min: 0, max: 1}}}, derive: {Population: §"0 * sqrt(`Contact rate` - 0.01) + 1"}}',
      'The value of "Population" is NaN, which is not a number where Contact rate is 0.00667979766149.',
    ],
  ])('a derived value is refused if its input does not take the value: %s', async (marked, message) => {
    await expectRefused(marked, 'INVALID_VALUE', message);
  });

  test.each([
    `design: {grid: {Budget: [1, '9007199254740993']}, where: §Budget > 2}`,
    `design: {product: [{grid: {Budget: ['9007199254740993']}, derive: {Days: §Budget / 2}}]}`,
  ])('a value that is too large for an expression is refused: %s', async (marked) => {
    const message =
      'The value of "Budget" is 9007199254740993, which is too large to calculate with exactly.';
    await expectRefused(marked, 'INVALID_VALUE', message);
  });
});

describe('a point file', () => {
  test('can be a part of a design', async () => {
    write('points.csv', 'Days,Title\n1,a\n2,b\n');
    const { points, campaign, contents, pointFiles } = await resolve(
      'design: {product: [{points: points.csv}, {grid: {Population: [1, 2]}}], where: "Days + Population < 4"}',
    );
    expect(points).toBe(3);
    const [file] = Object.values(pointFiles);
    expect(file).toMatchObject({ inputs: ['Days', 'Title'], count: 2 });
    expect([...contents.keys()]).toEqual([file!.hash]);
    expect(campaign.varied.map(({ name }) => name)).toEqual(['Days', 'Title', 'Population']);
  });

  test('is kept once, even if the design names the file several times', async () => {
    write('points.csv', 'Days\n1\n2\n');
    const { points, contents } = await resolve(
      'design: {union: [{points: points.csv}, {points: points.csv, derive: {Title: "\'a\'"}}]}',
    );
    expect([points, contents.size]).toEqual([4, 1]);
  });

  test('with a value that the model does not allow is refused at its line', async () => {
    write('points.csv', 'Days,Initially infected\n1,100\n2,101\n');
    expect(await refusal('design: {points: points.csv}')).toMatchObject({
      code: 'INVALID_VALUE',
      message: 'The value of "Initially infected" is 101, but must be at most 100.',
      place: { file: 'points.csv', line: 3, column: 3 },
    });
  });

  test('cannot have an input that the definition gives elsewhere', async () => {
    write('points.csv', 'Title,Days\na,1\n');
    const message = 'The input "Days" is given more than once.';
    await expectRefused('design: {points: §points.csv}\ninputs: {Days: 3}', 'INVALID_VALUE', message);
    const product = '{product: [{grid: {Days: [1]}}, {points: §points.csv}]}';
    await expectRefused(`design: ${product}`, 'INVALID_VALUE', message);
  });

  test.each(['constructor', '__proto__', 'toString.csv'])('is refused if it is missing: %s', async (path) => {
    await expectRefused(
      `design: {points: §${path}}`,
      'DEFINITION_UNREADABLE',
      `The file "${path}" is not there.`,
    );
  });

  test.each(['constructor', '__proto__'])('may have any name: %s', async (path) => {
    write(`${path}`, 'Days\n1\n2\n');
    const { points, pointFiles } = await resolve(`design: {points: ./${path}}`);
    expect(points).toBe(2);
    expect((await resolve(`design: {points: ${path}}`)).points).toBe(2);
    expect(Object.keys(pointFiles)).toEqual([`./${path}`]);
  });
});

test('the digest depends on whether the campaign keeps files, and a default that is written does not change it', async () => {
  const { digest } = await resolve('');
  expect((await resolve('outputs: {files: link}\n')).digest).toBe(digest);
  expect((await resolve('outputs: {files: keep}\n')).digest).not.toBe(digest);
});
