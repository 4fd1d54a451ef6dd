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

/** Submits a campaign whose runs all fail, and waits until its failure policy has paused it. */
async function failed() {
  const more = 'concurrency: 2\nfailures: {count: 0}';
  const campaign = await submit('{Value: [1, 2, 3, 4, 5, 6], Fail: [true]}', { seconds: 0, more });
  const status = await until('the campaign is paused and no run is in flight', async () => {
    const status = await told(campaign.id);
    return status.phase === 'paused' && inFlight(status) === 0 && status;
  });
  return { ...campaign, failures: status.runs.failed };
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

const REASON = { input: '"seen \\"enough\\""', because: ': seen "enough"' };

describe('Send a Signal', () => {
  test.each([
    { how: '', input: undefined, because: '' },
    { how: ' with a reason', ...REASON },
  ])('the signal cancel$how cancels the campaign and stops its runs', async ({ input, because }) => {
    const { id, url } = await begun();
    await (await WorkflowPage.open(page, url)).signal('cancel', input);
    const { phase, runs, note } = await toTheEnd({ foray }, id);
    expect({ phase, runs, note }).toMatchObject({
      phase: 'cancelled',
      runs: { running: 0, queued: 0, waiting: 6 },
      note: `cancelled by a signal${because}; 2 runs stopped`,
    });
    expect(await ended(id)).toBe('COMPLETED');
  });

  test('the signal stop with a reason closes the campaign after its requested runs', async () => {
    const { input, because } = REASON;
    // The runs are long, because the Web UI draws each event of an open campaign and answers late when there are many.
    const grid = '{Value: {from: 1, to: 200, step: 1}}';
    const { id, url } = await submit(grid, { seconds: 8, more: 'concurrency: 2' });
    await untilRunning({ foray }, id);
    await (await WorkflowPage.open(page, url)).signal('stop', input);
    const { phase, runs, note } = await toTheEnd({ foray }, id);
    expect({ phase, note }).toEqual({ phase: 'cancelled', note: `stopped${because}` });
    expect(runs).toMatchObject({ failed: 0, running: 0, queued: 0, waiting: 200 - runs.done });
    expect(await ended(id)).toBe('COMPLETED');
  });

  test('the signal pause with a reason pauses the campaign, and requested runs continue', async () => {
    const { input, because } = REASON;
    const { id, url } = await begun();
    await (await WorkflowPage.open(page, url)).signal('pause', input);
    const status = await untilPhase(id, 'paused');
    expect(status).toMatchObject({ pausedBy: 'person', note: `paused${because}` });
    expect(inFlight(status)).toBe(2);
  });

  test('the signal resume continues a paused campaign', async () => {
    const { id, url } = await begun();
    await foray.steer(id, 'pause');
    await untilPhase(id, 'paused');
    await (await WorkflowPage.open(page, url)).signal('resume');
    expect(await untilPhase(id, 'running')).toMatchObject({ pausedBy: null, note: 'paused; resumed' });
  });
});

describe('Send an Update', () => {
  test('the update setConcurrency makes the campaign request more runs at once', async () => {
    const { id, url } = await begun();
    expect(await (await WorkflowPage.open(page, url)).update('setConcurrency', '4')).toBeUndefined();
    await until('more runs are requested', async () => inFlight(await told(id)) === 4);
    const status = await until('foray status gets its answer from the workflow', async () => {
      const { stdout } = await cli(dev.folder, ['status', id, '--json']);
      const status = JSON.parse(stdout) as CampaignStatus;
      return status.source === 'workflow' && status;
    });
    expect(status).toMatchObject({ id, phase: 'running', window: 4 });
  });

  test('the update setConcurrency accepts "auto", and refuses a wrong value with the reason', async () => {
    const { id, url } = await begun('concurrency: 1');
    const workflow = await WorkflowPage.open(page, url);
    for (const input of ['0', '"many"', undefined]) {
      const refusal = await workflow.update('setConcurrency', input);
      expect(refusal).toBe('The concurrency must be a whole number from 1, or "auto".');
      expect((await told(id)).window).toBe(1);
    }
    expect(await workflow.update('setConcurrency', '"auto"')).toBeUndefined();
    await until('more runs are requested', async () => inFlight(await told(id)) > 1);
  });

  test('the update retry requests failed runs again, and refuses an unknown argument with the reason', async () => {
    const { id, url, failures } = await failed();
    const workflow = await WorkflowPage.open(page, url);
    const refusal = await workflow.update('retry', '"everything"');
    expect(refusal).toBe('The input must be "failed", "missing", "all" or {"cause": …}.');
    expect((await told(id)).runs.failed).toBe(failures);
    expect(await workflow.update('retry', '"failed"')).toBeUndefined();
    await expectForgiven(id, failures);
  });

  test('the update retry without an argument also requests failed runs again', async () => {
    const { id, url, failures } = await failed();
    expect(await (await WorkflowPage.open(page, url)).update('retry')).toBeUndefined();
    await expectForgiven(id, failures);
  });

  async function expectForgiven(id: string, failures: number): Promise<void> {
    expect(failures).toBeGreaterThan(0);
    const { phase, runs, note } = await told(id);
    expect({ phase, runs }).toMatchObject({ phase: 'paused', runs: { total: 6, failed: 0, waiting: 6 } });
    expect(note).toContain(`${failures} failed runs requested again`);
  }

  test('the update apply changes the campaign to a definition in JSON', async () => {
    const { id, url } = await begun();
    const { record } = await foray.results(id);
    const definition = {
      campaign: 'seen',
      model: { name: 'Rehearsal' },
      inputs: { Seconds: 600 },
      design: { grid: { Value: { from: 1, to: 10, step: 1 } } },
      seed: record.campaign.seed,
      concurrency: 3,
    };
    const input = JSON.stringify(definition);
    expect(await (await WorkflowPage.open(page, url)).update('apply', input)).toBeUndefined();
    expect(await told(id)).toMatchObject({ points: 10, runs: { total: 10 } });
    await until('the campaign has the new concurrency', async () => (await told(id)).window === 3);
  });

  test('the update apply accepts a definition as text, and refuses an impossible change with the reason', async () => {
    const { id, url, definition } = await begun();
    const workflow = await WorkflowPage.open(page, url);
    const refusal = await workflow.update(
      'apply',
      JSON.stringify(definition.replace('campaign: seen', 'campaign: other')),
    );
    expect(refusal).toContain('In a campaign that has begun, the name cannot change.');
    expect((await told(id)).runs.total).toBe(6);
    const input = JSON.stringify(definition.replace('6]', '6, 7]'));
    expect(await workflow.update('apply', input)).toBeUndefined();
    expect(await told(id)).toMatchObject({ points: 7, runs: { total: 7 } });
  });
});

describe('Queries', () => {
  test('the query progress gives the same counts as the status', async () => {
    const { id, url } = await begun('concurrency: 1');
    await untilRunning({ foray }, id);
    const answer = await (await WorkflowPage.open(page, url)).query('progress');
    const { runs, points, window } = await told(id);
    expect(answer).toMatchObject({ phase: 'running', runs, points, window, pausedBy: null, note: '' });
  });

  test('the query flights gives the runs in flight', async () => {
    const { id, url } = await begun('concurrency: 1');
    await untilRunning({ foray }, id);
    const answer = await (await WorkflowPage.open(page, url)).query('flights');
    expect(answer).toEqual([
      { seq: 0, state: 'running', startedAt: expect.anything(), seenAt: expect.anything() },
    ]);
    const [flight] = await temporal.workflow.getHandle(id).query<FlightReport[]>('flights');
    expect(answer).toMatchObject([{ startedAt: flight!.startedAt }]);
  });

  test('the query failures gives the failed runs by cause', async () => {
    const { id, url, failures } = await failed();
    const answer = await (await WorkflowPage.open(page, url)).query('failures');
    expect(answer).toEqual(await temporal.workflow.getHandle(id).query('failures'));
    expect(answer).toMatchObject([{ cause: 'Rehearsal was told to fail', count: failures }]);
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

describe('the Web UI shows', () => {
  test('counts and failures under User Metadata, while the campaign runs and afterwards', async () => {
    const { id, url } = await submit('{Seconds: [-2, -1, 0, 600]}');
    const workflow = await WorkflowPage.open(page, url);
    const details = await workflow.details(/running: 3 of 4 .*1 running/s);
    expect(details).toMatch(/^running: 3 of 4 runs finished \(75 %\), about \d+ s left$/m);
    expect(details).toMatch(/^finished: 1 new, 0 reused, 2 failed; \d+\.\d a second$/m);
    expect(details).toMatch(/^open: 1 running, 0 queued, 0 waiting; window \d+$/m);
    expect(details).toMatch(/^design: 4 points$/m);
    expect(details).toMatch(/^2 × Seconds is …: it must not be negative$/m);

    await foray.cancel(id, 'seen <enough> of *this* & [that](http://127.0.0.1)');
    await toTheEnd({ foray }, id);
    const last = await workflow.details(/cancelled, 2 of 4 runs failed: 3 of 4/);
    expect(last).toMatch(/^cancelled, 2 of 4 runs failed: 3 of 4 runs finished \(75 %\)$/m);
    expect(last).toContain(
      'cancelled by a signal: seen <enough> of *this* & [that](http://127.0.0.1); 1 run stopped\n',
    );
  });

  test('the purpose of each activity and timer in the event history', async () => {
    const { url } = await begun();
    await page.goto(url);
    const event = (name: RegExp) => page.getByRole('row', { name }).first().waitFor();
    await event(/Workflow Execution Started .*Summary seen: Rehearsal/);
    await event(/Activity Task Scheduled .*prepare Summary upload files, expand the design/);
    await event(/Activity Task Scheduled .*advance Summary request 2, poll 0/);
    await event(/Timer Started .*Summary 0 of 6 finished, window 2/);
    // the timeline above the history shows the purposes, too
    await page.getByRole('button', { name: 'advance • request 2, poll 0' }).waitFor();
  });

  test('the search attributes, with the current phase of the campaign', async () => {
    const { id, url } = await begun();
    const attributes = { ForayModel: 'Rehearsal', ForayOwner: 'somebody' };
    const workflow = await WorkflowPage.open(page, url);
    expect(await workflow.document('Search Attributes')).toMatchObject({
      indexedFields: { ...attributes, ForayPhase: 'running' },
    });
    await foray.steer(id, 'pause');
    await untilPhase(id, 'paused');
    const paused = await WorkflowPage.open(page, url);
    expect(await paused.document('Search Attributes')).toMatchObject({
      indexedFields: { ...attributes, ForayPhase: 'paused' },
    });
  });

  test('the memo, with the names of the campaign and the model', async () => {
    const { url } = await begun();
    expect(await (await WorkflowPage.open(page, url)).document('Memo')).toMatchObject({
      fields: { name: 'seen', model: 'Rehearsal', modelVersion: 1 },
    });
  });

  test('the workflows of a phase, at an address with a query and after a filter of the page', async () => {
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
});
