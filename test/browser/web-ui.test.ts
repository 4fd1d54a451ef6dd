import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import type { BrowserContext, Page } from 'playwright-core';
import type { FlightReport, Phase } from '../../src/campaign/types.ts';
import { type CampaignStatus, Foray } from '../../src/client/index.ts';
import { readAddresses } from '../../src/dev/home.ts';
import { launchBrowser, stillPage, WorkflowPage } from '../support/browser.ts';
import { cancelOpen, toTheEnd, untilRunning } from '../support/campaigns.ts';
import { type Dev, foray as cli, startDev } from '../support/cli.ts';
import { connected } from '../support/temporal.ts';
import { until } from '../support/until.ts';

/**
 * Tests that a person can control and read campaigns in Temporal's Web UI. The tests check the effects of the controls
 * outside of the Web UI.
 */

let dev: Dev;
let foray: Foray;
let temporal: Client;
let workflows: string;
let context: BrowserContext;
let page: Page;
beforeAll(async () => {
  const browser = await launchBrowser();
  context = await browser.newContext({ viewport: { width: 1_400, height: 1_000 } });
  dev = await startDev();
  const addresses = readAddresses(join(dev.folder, '.foray'))!;
  foray = await Foray.open({
    ...addresses,
    taskQueue: 'foray',
    owner: 'somebody',
    temporal: { connectionOptions: { address: dev.temporal }, namespace: 'default' },
    webUi: addresses.temporal.webUi,
  });
  await connected(foray);
  temporal = new Client({
    connection: await Connection.connect({ address: dev.temporal, connectTimeout: '2m' }),
  });
  workflows = `${addresses.temporal.webUi}/namespaces/default/workflows`;
});
afterAll(async () => {
  await context?.browser()?.close();
  await temporal?.connection.close();
  await foray?.close();
  await dev?.stop();
});

beforeEach(async () => {
  page = await stillPage(context);
});
afterEach(async () => {
  await page.close();
  await cancelOpen({ foray });
});

let submitted = 0;

/** Submits a campaign of the model "Rehearsal", whose runs wait. No two of these campaigns share runs. */
async function submit(grid: string, { seconds, more = '' }: { seconds?: number; more?: string } = {}) {
  submitted += 1;
  const inputs = seconds === undefined ? '{}' : `{Seconds: ${seconds}}`;
  const text = `
campaign: seen
model: {name: Rehearsal}
inputs: ${inputs}
design: {grid: ${grid}}
seed: ${submitted}
${more}
`;
  const { id, url } = await foray.submit({ text, file: 'seen.yaml' });
  return { id, url, definition: text };
}

/**
 * Waits for a status that the campaign's workflow gives. If the workflow does not answer soon, as on a busy machine,
 * the client gives a status from the store.
 */
function told(id: string): Promise<CampaignStatus> {
  return until(`${id} answers`, async () => {
    const status = await foray.status(id);
    return status.source === 'workflow' && status;
  });
}

/** Submits a campaign of six long runs, by default two at once, and waits until it has requested runs. */
async function begun(more = 'concurrency: 2') {
  const campaign = await submit('{Value: [1, 2, 3, 4, 5, 6]}', { seconds: 600, more });
  await until('runs are requested', async () => inFlight(await told(campaign.id)) > 0);
  return campaign;
}

function inFlight({ runs }: CampaignStatus): number {
  return runs.running + runs.queued;
}

async function untilPhase(id: string, phase: Phase): Promise<CampaignStatus> {
  const arrives = until(`${id} is ${phase}`, async () => {
    const status = await told(id);
    return status.phase === phase && status;
  });
  return arrives.catch(async (timeout: Error) => {
    throw new Error(`${timeout.message}\n${await lately(id)}`, { cause: timeout });
  });
}

/** The last events of the campaign's history, and what it waits for: the reason why a campaign does not go on. */
async function lately(id: string): Promise<string> {
  const handle = temporal.workflow.getHandle(id);
  const { raw } = await handle.describe();
  const { events } = await handle.fetchHistory();
  return JSON.stringify({ waitsFor: raw.pendingActivities, lastEvents: events?.slice(-12) }, undefined, 1);
}

/** Waits for a phase in Temporal's list of workflows, because the list changes a moment after the workflow. */
function untilListed(phase: Phase, id: string): Promise<true> {
  return until(`Temporal lists only ${id} as ${phase}`, async () => {
    const listed = await Array.fromAsync(temporal.workflow.list({ query: `ForayPhase="${phase}"` }));
    return listed.length === 1 && listed[0]!.workflowId === id;
  });
}

/** Waits for the end of the workflow, and gives its status in Temporal. */
function ended(id: string): Promise<string> {
  return until('the workflow is closed', async () => {
    const { status } = await temporal.workflow.getHandle(id).describe();
    return status.name !== 'RUNNING' && status.name;
  });
}

describe('Signals', () => {
  test('pause, resume and cancel control the campaign, with a reason or without; its search attributes have the phase', async () => {
    const { id, url } = await begun();
    /** Opens the page of the workflow, which has this phase in its search attributes. */
    const openIn = async (ForayPhase: Phase): Promise<WorkflowPage> => {
      const workflow = await WorkflowPage.open(page, url);
      const indexedFields = { ForayModel: 'Rehearsal', ForayOwner: 'somebody', ForayPhase };
      expect(await workflow.document('Search Attributes')).toMatchObject({ indexedFields });
      return workflow;
    };
    await (await openIn('running')).signal('pause', '"seen \\"enough\\""');
    const paused = await untilPhase(id, 'paused');
    expect(paused).toMatchObject({ pausedBy: 'person', note: 'paused: seen "enough"' });
    expect(inFlight(paused)).toBe(2);
    const workflow = await openIn('paused');
    await workflow.signal('resume');
    const note = 'paused: seen "enough"; resumed';
    expect(await untilPhase(id, 'running')).toMatchObject({ pausedBy: null, note });
    await workflow.signal('cancel');
    expect(await toTheEnd({ foray }, id)).toMatchObject({
      phase: 'cancelled',
      runs: { running: 0, queued: 0, waiting: 6 },
      note: `${note}; cancelled by a signal; 2 runs stopped`,
    });
    expect(await ended(id)).toBe('COMPLETED');
  });

  test('stop closes the campaign after its requested runs', async () => {
    // The runs are long, because the Web UI draws each event of an open campaign and answers late when there are many.
    const grid = '{Value: {from: 1, to: 200, step: 1}}';
    const { id, url } = await submit(grid, { seconds: 8, more: 'concurrency: 2' });
    await untilRunning({ foray }, id);
    await (await WorkflowPage.open(page, url)).signal('stop', '"seen"');
    const { phase, runs, note } = await toTheEnd({ foray }, id);
    expect({ phase, note }).toEqual({ phase: 'cancelled', note: 'stopped: seen' });
    expect(runs).toMatchObject({ failed: 0, running: 0, queued: 0, waiting: 200 - runs.done });
    expect(await ended(id)).toBe('COMPLETED');
  });
});

describe('Updates', () => {
  test('setConcurrency makes the campaign request more runs at once, and refuses a wrong value with the reason', async () => {
    const grid = '{Value: {from: 1, to: 12, step: 1}}';
    const { id, url } = await submit(grid, { seconds: 600, more: 'concurrency: 1' });
    await until('a run is requested', async () => inFlight(await told(id)) === 1);
    const workflow = await WorkflowPage.open(page, url);
    for (const input of ['"many"', undefined]) {
      const refusal = await workflow.update('setConcurrency', input);
      expect(refusal).toBe('The concurrency must be a whole number from 1, or "auto".');
      expect((await told(id)).window).toBe(1);
    }
    expect(await workflow.update('setConcurrency', '"auto"')).toBeUndefined();
    await until('more runs are requested', async () => inFlight(await told(id)) > 1);
    expect(await workflow.update('setConcurrency', '12')).toBeUndefined();
    await until('all runs are requested', async () => inFlight(await told(id)) === 12);
    const status = await until('foray status gets its answer from the workflow', async () => {
      const { stdout } = await cli(dev.folder, ['status', id, '--json']);
      const status = JSON.parse(stdout) as CampaignStatus;
      return status.source === 'workflow' && status;
    });
    expect(status).toMatchObject({ id, phase: 'running', window: 12 });
  });

  test('retry without an argument requests failed runs again, and refuses an unknown argument with the reason', async () => {
    const more = 'concurrency: 2\nfailures: {count: 0}';
    const { id, url } = await submit('{Value: [1, 2, 3, 4, 5, 6], Fail: [true]}', { seconds: 0, more });
    const { runs: before } = await until('the campaign is paused and no run is in flight', async () => {
      const status = await told(id);
      return status.phase === 'paused' && inFlight(status) === 0 && status;
    });
    expect(before.failed).toBeGreaterThan(0);
    const workflow = await WorkflowPage.open(page, url);
    const refusal = await workflow.update('retry', '"everything"');
    expect(refusal).toBe('The input must be "failed", "missing", "all" or {"cause": …}.');
    expect((await told(id)).runs.failed).toBe(before.failed);
    expect(await workflow.update('retry')).toBeUndefined();
    const { phase, runs, note } = await told(id);
    expect({ phase, runs }).toMatchObject({ phase: 'paused', runs: { total: 6, failed: 0, waiting: 6 } });
    expect(note).toContain(`${before.failed} failed runs requested again`);
  });

  test('apply takes a definition as text or in JSON, and refuses an impossible change with the reason', async () => {
    const { id, url, definition } = await begun();
    const workflow = await WorkflowPage.open(page, url);
    const other = definition.replace('campaign: seen', 'campaign: other');
    expect(await workflow.update('apply', JSON.stringify(other))).toContain(
      'In a campaign that has begun, the name cannot change.',
    );
    expect((await told(id)).runs.total).toBe(6);
    const text = JSON.stringify(definition.replace('6]', '6, 7]'));
    expect(await workflow.update('apply', text)).toBeUndefined();
    expect(await told(id)).toMatchObject({ points: 7, runs: { total: 7 } });
    const { record } = await foray.results(id);
    const inJson = {
      campaign: 'seen',
      model: { name: 'Rehearsal' },
      inputs: { Seconds: 600 },
      design: { grid: { Value: { from: 1, to: 10, step: 1 } } },
      seed: record.campaign.seed,
      concurrency: 3,
    };
    expect(await workflow.update('apply', JSON.stringify(inJson))).toBeUndefined();
    expect(await told(id)).toMatchObject({ points: 10, runs: { total: 10 } });
    await until('the campaign has the new concurrency', async () => (await told(id)).window === 3);
  });
});

test('Request Cancellation cancels the campaign and stops its runs', async () => {
  const { id, url } = await begun();
  await (await WorkflowPage.open(page, url)).requestCancellation();
  const { phase, runs } = await toTheEnd({ foray }, id);
  expect({ phase, runs }).toMatchObject({
    phase: 'cancelled',
    runs: { running: 0, queued: 0, waiting: 6 },
  });
  expect(await ended(id)).toBe('CANCELLED');
});

test('queries give counts, runs in flight and failures; User Metadata shows them while the campaign runs and afterwards', async () => {
  const { id, url } = await submit('{Seconds: [-2, -1, 0, 600]}');
  const workflow = await WorkflowPage.open(page, url);
  const details = await workflow.details(/running: 3 of 4 .*1 running/s);
  expect(details).toMatch(/^running: 3 of 4 runs finished \(75 %\), about \d+ s left$/m);
  expect(details).toMatch(/^finished: 1 new, 0 reused, 2 failed; \d+\.\d a second$/m);
  expect(details).toMatch(/^open: 1 running, 0 queued, 0 waiting; window \d+$/m);
  expect(details).toMatch(/^design: 4 points$/m);
  expect(details).toMatch(/^2 × Seconds is …: it must not be negative$/m);

  const progress = await workflow.query('progress');
  const { runs, points, window } = await told(id);
  expect(progress).toMatchObject({ phase: 'running', runs, points, window, pausedBy: null, note: '' });
  const handle = temporal.workflow.getHandle(id);
  const flights = await workflow.query('flights');
  const seen = { startedAt: expect.anything(), seenAt: expect.anything() };
  expect(flights).toEqual([{ seq: 3, state: 'running', ...seen }]);
  const [flight] = await handle.query<FlightReport[]>('flights');
  expect(flights).toMatchObject([{ startedAt: flight!.startedAt }]);
  const failures = await workflow.query('failures');
  expect(failures).toEqual(await handle.query('failures'));
  expect(failures).toMatchObject([{ cause: 'Seconds is …: it must not be negative', count: 2 }]);

  await foray.cancel(id, 'seen <enough> of *this* & [that](http://127.0.0.1)');
  await toTheEnd({ foray }, id);
  const last = await workflow.details(/cancelled, 2 of 4 runs failed: 3 of 4/);
  expect(last).toMatch(/^cancelled, 2 of 4 runs failed: 3 of 4 runs finished \(75 %\)$/m);
  expect(last).toContain(
    'cancelled by a signal: seen <enough> of *this* & [that](http://127.0.0.1); 1 run stopped\n',
  );
});

test('the event history has the purpose of each activity and timer, and the memo the names of campaign and model', async () => {
  const { url } = await begun();
  const workflow = await WorkflowPage.open(page, url);
  const event = (name: RegExp) => page.getByRole('row', { name }).first().waitFor();
  await event(/Workflow Execution Started .*Summary seen: Rehearsal/);
  await event(/Activity Task Scheduled .*prepare Summary upload files, expand the design/);
  await event(/Activity Task Scheduled .*advance Summary request 2, poll 0/);
  await event(/Timer Started .*Summary 0 of 6 finished, window 2/);
  // the timeline above the history shows the purposes, too
  await page.getByRole('button', { name: 'advance • request 2, poll 0' }).waitFor();
  expect(await workflow.document('Memo')).toMatchObject({
    fields: { name: 'seen', model: 'Rehearsal', modelVersion: 1 },
  });
});

test('the list shows the workflows of a phase, at an address with a query and after a filter of the page', async () => {
  const one = await begun();
  const other = await begun('concurrency: 1');
  await foray.steer(one.id, 'pause');
  await untilPhase(one.id, 'paused');
  await untilListed('running', other.id);
  await untilListed('paused', one.id);
  const table = page.getByRole('table', { name: 'Workflows' });
  const link = ({ id }: { id: string }) => table.getByRole('link', { name: id, exact: true });

  await page.goto(`${workflows}?query=${encodeURIComponent('ForayPhase="running"')}`);
  await link(other).waitFor();
  expect(await link(one).count()).toBe(0);

  await page.goto(workflows);
  await page.getByRole('button', { name: 'Add Filter' }).click();
  await page.getByRole('menuitem', { name: 'ForayPhase' }).click();
  await page.getByRole('textbox', { name: 'Value' }).fill('paused');
  await page.getByRole('button', { name: 'Apply' }).click();
  await link(other).waitFor({ state: 'hidden' });
  await link(one).waitFor();
});
