import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Server } from '../../../src/server/app.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';
import { type Answer, pageOf, sendForm, serverOf } from '../support.ts';
import { EPIDEMIC, REHEARSAL } from '../../service/fixed.ts';

let world: World;
let server: Server;

beforeAll(async () => {
  world = await startWorld({ models: [EPIDEMIC, REHEARSAL], executors: 2 });
  await world.startWorker();
  // on a busy machine, a check whether the service and Temporal answer may fail, and pages then show this;
  // reachability.test.ts tests these checks
  world.foray.answers = () => Promise.resolve({ service: true, temporal: true });
  server = await serverOf(world);
});
afterAll(async () => {
  await server.close();
  await world.close();
});

const page = (path: string): Promise<Answer> => pageOf(server, path);
const send = (path: string, fields: Record<string, string>): Promise<Answer> =>
  sendForm(server, path, fields);
const over = (id: string) =>
  until(`${id} has ended`, async () =>
    ['completed', 'cancelled'].includes((await world.foray.status(id)).phase),
  );

describe('without scripts', () => {
  test('the page of a point in a calibration shows its distance', async () => {
    const text = `campaign: abc
model: {name: Epidemic}
inputs: {Population: 20, Days: 5}
outputs: [Peak infected]
calibrate:
  abc:
    priors: {Contact rate: {min: 1, max: 3}}
    observed: {Peak infected: 8}
    particles: 10
    stop: {generations: 1}
seed: 1
`;
    await world.foray.submit({ file: 'abc.yaml', text }, { id: 'abc' });
    await over('abc');
    const [row] = await world.rows('abc');
    const story = (await page(`/campaigns/abc/points/${row!.point}`)).body;
    expect(story).toMatch(
      /The calibration chose this point as number 1, by\s+generation 1: distance [\d.]+\./,
    );
  });

  test('marks of a sampled design in a picture link to the pages of their points', async () => {
    const text =
      'campaign: sampled\nmodel: {name: Epidemic}\noutputs: [Peak infected]\n' +
      'design: {lhs: {points: 20, inputs: {Contact rate: {min: 1.1, max: 3}, Recovery rate: {min: 0.2, max: 0.6}}}}\n';
    await world.foray.submit({ text, file: 'sampled.yaml' }, { id: 'sampled' });
    await over('sampled');
    const section = await until('the pictures are drawn', async () => {
      const { body } = await page('/campaigns/sampled');
      return body.split('id="part-scatter"')[1];
    });
    const [, root] = /data-points="([^"]+)"/.exec(section)!;
    const { points, panels } = JSON.parse(/json">([^<]*)</.exec(section)![1]!) as {
      points: string[];
      panels: { places: number[]; rows: number | number[] }[];
    };
    // the panel of each input has a mark for each point; the smooth has rows without a point
    expect(new Set(points.filter(Boolean)).size).toBe(20);
    expect(panels).toHaveLength(2);
    for (const { places, rows } of panels) {
      // marks in the order of the rows have only the first row
      const shown =
        typeof rows === 'number' ? Array.from({ length: places.length / 2 }, (_, at) => rows + at) : rows;
      expect(shown).toEqual(expect.arrayContaining([0, 7, 19]));
    }
    expect((await page(root! + points[7]!)).status).toBe(200);
  });

  test('the page still shows failures from before a change, and requests the failed runs of one cause again', async () => {
    const text = `campaign: broken
model: {name: Rehearsal}
design: {grid: {Value: [1, 2, 3], Fail: [true], Seconds: [0, -1]}}
`;
    await world.foray.submit({ text, file: 'broken.yaml' }, { id: 'broken' });
    await over('broken');
    const changed = text.replace('3], Fail: [true]', '3], Fail: [true, false]');
    await world.foray.apply('broken', { text: changed, file: 'broken.yaml' });
    await until('the new runs are done', async () => (await world.foray.status('broken')).runs.done === 3);
    await over('broken');
    const shown = await page('/campaigns/broken/failures');
    expect(shown.body).toMatch(/<td class="number" data-name="Runs">3<\/td>/);
    expect(shown.body.match(/Request these runs again/g)).toHaveLength(2);
    expect((await send('/campaigns/broken/retry', { cause: 'No such cause' })).status).toBe(404);
    // the runs of one of the two causes are requested again
    const [, cause] = /name="cause" value="(Rehearsal[^"]+)"/.exec(shown.body)!;
    expect((await send('/campaigns/broken/retry', { cause: cause! })).status).toBe(303);
    await over('broken');
    const attempts = (await world.rows('broken')).map(({ point }) => world.foray.explain('broken', point));
    const again = (await Promise.all(attempts)).filter(({ runs }) => runs[0]!.earlier.length > 0);
    expect(again).toHaveLength(3);
    const retried = (await page(`/campaigns/broken/points/${again[0]!.point}`)).body;
    expect(retried).toMatch(/Earlier attempts that failed[^]*<div class="reason">Rehearsal/);
  });
});
