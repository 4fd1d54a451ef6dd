import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { TemporalConnection } from '../../src/client/temporal/connection.ts';
import { startOptions } from '../../src/client/temporal/start.ts';
import { closedStatus, toTheEnd, untilRunning, untilSomeAreDone } from '../support/campaigns.ts';
import { rehearsal, startWorld, type World } from '../support/world.ts';
import { SHIPPED_MODELS } from '../service/fixed.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ models: [SHIPPED_MODELS] });
  await world.startWorker();
});
afterAll(() => world.close());

const values = async (id: string) => (await world.rows(id)).map(({ values }) => Number(values[0]));

describe('apply', () => {
  test('adds and drops points of a running campaign, which keeps its id and its results', async () => {
    const more = 'concurrency: 1';
    const { id } = await world.foray.submit(rehearsal({ count: 8, first: 1_000, seconds: 0.5, more }));
    await untilSomeAreDone(world, id);
    const changed = rehearsal({ count: 8, first: 1_004, seconds: 0.5, more: 'concurrency: 6' });
    expect(await world.foray.compare(id, changed)).toEqual({
      points: { added: 4, dropped: 4, kept: 4 },
      replications: { from: 1, to: 1 },
      outputs: { added: [], dropped: [] },
      settings: ['concurrency'],
      version: null,
    });
    const change = await world.foray.apply(id, changed);
    expect(change).toMatchObject({ difference: { points: { added: 4, dropped: 4 } }, wasClosed: false });
    const end = await toTheEnd(world, id);
    expect(end).toMatchObject({ phase: 'completed', points: 8, runs: { failed: 0, waiting: 0 } });
    const kept = await values(id);
    // the runs of the new design come first, in the order of that design; the requested runs of the old design follow
    expect(kept.slice(0, 8)).toEqual([1_004, 1_005, 1_006, 1_007, 1_008, 1_009, 1_010, 1_011]);
    expect(kept.slice(8)).toContain(1_000);
    expect(end.runs.done).toBe(kept.length);
  });

  test('adds replications to a campaign that has ended, which keeps its earlier results', async () => {
    const { id } = await world.foray.submit(rehearsal({ count: 3, first: 1_100, more: 'seed: 5' }));
    await toTheEnd(world, id);
    const before = await world.rows(id);
    const more = 'seed: 5\nreplications: 4';
    const change = await world.foray.apply(id, rehearsal({ count: 3, first: 1_100, more }));
    expect(change).toMatchObject({
      difference: { points: { added: 0, dropped: 0, kept: 3 }, replications: { from: 1, to: 4 } },
      open: 9,
      wasClosed: true,
    });
    expect(await toTheEnd(world, id)).toMatchObject({ phase: 'completed', runs: { total: 12, done: 12 } });
    const after = await world.rows(id);
    expect(after.filter(({ replication }) => replication === 1)).toEqual(before);
  });

  test('gives the same results as a new campaign with the same definition', async () => {
    const { id } = await world.foray.submit(rehearsal({ count: 4, first: 1_203, more: 'seed: 5' }));
    await toTheEnd(world, id);
    const whole = rehearsal({ count: 9, first: 1_200, more: 'seed: 5\nreplications: 2' });
    await world.foray.apply(id, whole);
    await toTheEnd(world, id);
    const other = await world.foray.submit(whole);
    await toTheEnd(world, other.id);
    const table = async (of: string) =>
      (await world.rows(of)).map(({ point, replication, values, outputs }) => [
        point,
        replication,
        values,
        outputs,
      ]);
    expect(await table(id)).toEqual(await table(other.id));
    // submitting the same definition again under the same id finds the existing campaign
    expect(await world.foray.submit(whole, { id })).toMatchObject({ isNew: false });

    // the same points in another order are another definition, which submit finds after it was applied
    const values = [8, 7, 6, 5, 4, 3, 2, 1, 0].map((value) => value + 1_200);
    const reversed = { ...whole, text: whole.text.replace(/\{from.*?\}/, JSON.stringify(values)) };
    const settings = ['the order or form of the design'];
    expect(await world.foray.compare(id, reversed)).toMatchObject({ settings });
    await expect(world.foray.submit(reversed, { id })).rejects.toMatchObject({ code: 'CAMPAIGN_EXISTS' });
    const change = await world.foray.apply(id, reversed);
    expect(change).toMatchObject({ difference: { points: { added: 0, dropped: 0, kept: 9 }, settings } });
    await toTheEnd(world, id);
    expect((await world.rows(id)).map(({ values: [value] }) => Number(value))).toEqual(
      values.flatMap((value) => [value, value]),
    );
    expect(await world.foray.submit(reversed, { id })).toMatchObject({ isNew: false });
  });

  test('refuses impossible changes, and adds no runs', async () => {
    const { id } = await world.foray.submit(rehearsal({ count: 2, first: 1_300, seconds: 600 }));
    await untilRunning(world, id);
    const refusals: [string, string][] = [
      [
        rehearsal({ count: 2, first: 1_300, seconds: 600, more: 'commonRandomNumbers: true' }).text,
        '"commonRandomNumbers"',
      ],
      [rehearsal({ count: 2, first: 1_300, seconds: 600, more: 'seed: 1' }).text, 'the seed'],
      [rehearsal({ count: 2, first: 1_300, seconds: 600, name: 'other' }).text, 'the name'],
      ['campaign: rehearsal\nmodel: {name: Epidemic}', 'the model'],
    ];
    for (const [text, what] of refusals) {
      const refused = { code: 'CHANGE_REFUSED', message: expect.stringContaining(what) };
      await expect(world.foray.apply(id, { text, file: 'x.yaml' })).rejects.toMatchObject(refused);
      const handle = world.environment.client.workflow.getHandle(id);
      await expect(handle.executeUpdate('apply', { args: [text] })).rejects.toMatchObject({
        cause: { type: 'CHANGE_REFUSED', message: expect.stringContaining(what) },
      });
    }
    const typo = rehearsal({ count: 2, first: 1_300, more: 'inputs: {}' }).text.replace('Value', 'Valeu');
    await expect(world.foray.apply(id, { text: typo, file: 'x.yaml' })).rejects.toMatchObject({
      place: { file: 'x.yaml' },
    });
    expect((await world.foray.status(id)).runs.total).toBe(2);
    await world.foray.cancel(id);
    await toTheEnd(world, id);
  });

  test('refuses a definition that is too long for a message, and a closed campaign stays closed', async () => {
    const source = rehearsal({ count: 1, first: 1_350 });
    const { id } = await world.foray.submit(source);
    await toTheEnd(world, id);
    expect(await closedStatus(world, id)).toBe('COMPLETED');
    const long = { ...source, text: `${source.text}# ${'x'.repeat(100_000)}\n` };
    await expect(world.foray.apply(id, long)).rejects.toMatchObject({
      code: 'CHANGE_REFUSED',
      hint: 'Put the points of a large design into a point file.',
    });
    const { client } = world.environment;
    expect((await client.workflow.getHandle(id).describe()).status.name).toBe('COMPLETED');

    // an execution whose change got lost ends too
    const { record } = await world.foray.results(id);
    const temporal = new TemporalConnection(world.settings, {});
    const options = startOptions(temporal, record, world.foray['store'].id, true, { goesOn: true }, 'lost');
    await client.workflow.start('campaign', options);
    expect(await closedStatus(world, id)).toBe('FAILED');
    expect(await world.foray.status(id)).toMatchObject({ phase: 'completed', runs: { done: 1 } });
  });

  const costs = (grid: string, more: string) => ({
    text: `campaign: costs\nmodel: {name: Inventory}\ninputs: {"{STOP_TIME}": 30}\ndesign: {grid: {${grid}}}\n${more}\n`,
    file: join(world.folder, 'costs.yaml'),
  });

  test('adds outputs: foray gets them from the service for completed runs, and no run is executed again', async () => {
    const grid = 'Order-up-to level: [40, 60, 80]';
    const { id } = await world.foray.submit(costs(grid, 'replications: 2\noutputs: [Service level]'));
    await toTheEnd(world, id);
    const before = await world.rows(id);
    expect(before.map(({ outputs }) => Object.keys(outputs))).toEqual(Array(6).fill(['Service level']));
    const executions = world.executions().length;
    const changed = costs(grid, 'replications: 2\noutputs: [Orders, Service level]');
    const change = await world.foray.apply(id, changed);
    expect(change).toMatchObject({
      difference: { points: { kept: 3 }, outputs: { added: ['Orders'], dropped: [] } },
      open: 0,
    });
    await toTheEnd(world, id);
    const after = await world.rows(id);
    expect(after.map(({ outputs, ...row }) => ({ ...row, level: outputs['Service level'] }))).toEqual(
      before.map(({ outputs, ...row }) => ({ ...row, level: outputs['Service level'] })),
    );
    for (const { outputs } of after) expect(Number(outputs['Orders'])).toBeGreaterThan(0);
    expect(world.executions()).toHaveLength(executions);
    // an output can also be removed
    const fewer = await world.foray.apply(id, costs(grid, 'replications: 2\noutputs: [Orders]'));
    expect(fewer.difference).toMatchObject({ outputs: { added: [], dropped: ['Service level'] } });
    await toTheEnd(world, id);
  });

  test('can vary other inputs: equal points keep their results, and the table distinguishes all points', async () => {
    const { id } = await world.foray.submit(costs('Order-up-to level: [40, 60]', 'outputs: [Orders]'));
    await toTheEnd(world, id);
    const before = await world.rows(id);
    // 20 is the default of the reorder point
    const wider = costs('Reorder point: [20, 30], Order-up-to level: [60, 80]', 'outputs: [Orders]');
    const change = await world.foray.apply(id, wider);
    expect(change.difference!.points).toEqual({ added: 3, dropped: 1, kept: 1 });
    expect(await toTheEnd(world, id)).toMatchObject({ phase: 'completed', runs: { total: 5, done: 5 } });
    const after = await world.rows(id);
    expect(after.map(({ values }) => values.join())).toEqual(['20,60', '20,80', '30,60', '30,80', '20,40']);
    const resultsOf = (rows: typeof after) =>
      new Map(rows.map(({ point, outputs, runId }) => [point, { outputs, runId }]));
    for (const [point, results] of resultsOf(before)) expect(resultsOf(after).get(point)).toEqual(results);

    // the design varies one input again; another fixed value of {STOP_TIME} distinguishes the old points
    const months = { ...costs('Order-up-to level: [60]', 'outputs: [Orders]') };
    months.text = months.text.replace('"{STOP_TIME}": 30', '"{STOP_TIME}": 40');
    expect((await world.foray.apply(id, months)).difference!.points).toEqual({
      added: 1,
      dropped: 4,
      kept: 0,
    });
    await toTheEnd(world, id);
    const { record } = await world.foray.results(id);
    expect(record.campaign.varied.map(({ name }) => name)).toEqual([
      'Order-up-to level',
      'Reorder point',
      '{STOP_TIME}',
    ]);
    const rows = await world.rows(id);
    expect(rows[0]!.values).toEqual(['60', '20', '40']);
    expect(
      rows
        .slice(1)
        .map(({ values }) => values.join())
        .toSorted(),
    ).toEqual(['40,20,30', '60,20,30', '60,30,30', '80,20,30', '80,30,30']);
  });

  test('sends the points of a file together with the change, so the worker does not need the file', async () => {
    const source = costs('Order-up-to level: [40]', '');
    const points = join(world.folder, 'points.csv');
    const text = source.text.replace(/design: .*/, 'design: {points: ./points.csv}');
    writeFileSync(points, 'Order-up-to level\n45\n55\n');
    const { id } = await world.foray.submit({ ...source, text });
    await toTheEnd(world, id);
    writeFileSync(points, 'Order-up-to level,reorder POINT\n55,20\n65,25\n');
    const change = await world.foray.apply(id, { ...source, text });
    expect(change.difference!.points).toEqual({ added: 1, dropped: 1, kept: 1 });
    expect(await world.foray.compare(id, { ...source, text })).toMatchObject({ settings: [] });
    expect(await world.foray.submit({ ...source, text }, { id })).toMatchObject({ isNew: false });
    rmSync(points);
    await toTheEnd(world, id);
    expect((await world.rows(id)).map(({ values }) => values.join())).toEqual(['55,20', '65,25', '45,20']);
  });

  test('accepts a definition as JSON, which the Web UI sends', async () => {
    const { id } = await world.foray.submit(rehearsal({ count: 2, first: 1_400, seconds: 0.5 }));
    const definition = {
      campaign: 'rehearsal',
      model: { name: 'Rehearsal' },
      inputs: { Seconds: 0.5 },
      design: { grid: { Value: [1_400, 1_401, 1_402] } },
    };
    const handle = world.environment.client.workflow.getHandle(id);
    const answer = await handle.executeUpdate('apply', { args: [definition] });
    expect(answer).toMatchObject({ points: 3, difference: { points: { added: 1, dropped: 0, kept: 2 } } });
    expect((await toTheEnd(world, id)).runs).toMatchObject({ total: 3, done: 3 });
  });

  test('changes the failure policy and the timeouts of a running campaign', async () => {
    const { id } = await world.foray.submit(rehearsal({ count: 2, first: 1_500, seconds: 600 }));
    await untilRunning(world, id);
    const more = 'timeouts: {run: 0.5 s}\nfailures: {count: 0, then: cancel}';
    const change = await world.foray.apply(id, rehearsal({ count: 2, first: 1_500, seconds: 600, more }));
    expect(change.difference!.settings).toEqual(['failures', 'timeouts']);
    const end = await toTheEnd(world, id);
    expect(end.phase).toBe('failed');
    expect(end.note).toContain('cancelled by its failure policy');
  });
});
