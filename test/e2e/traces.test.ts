import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { builtWorkflowBundle } from '../support/built-workflow-bundle.ts';
import { type Dev, foray, startDev } from '../support/cli.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp-receiver.ts';
import { until } from '../support/until.ts';
import '../support/quiet-runtime.ts';

const DEFINITION = `
campaign: traced
model: {name: Rehearsal}
inputs: {Seconds: 0.01}
design: {grid: {Value: [1, 2, 3]}}
`;

let receiver: OtlpReceiver;
let dev: Dev;
beforeAll(async () => {
  receiver = await startOtlpReceiver();
  dev = await startDev({ env: receiver.env });
  writeFileSync(join(dev.folder, 'traced.yaml'), DEFINITION);
});
afterAll(async () => {
  await dev.stop();
  receiver.close();
});

test('one trace leads from the submit over the workflow, a tick and its request to the execution of each run', async () => {
  const args = ['submit', 'traced.yaml', '--id', 'traced', '--watch'];
  const { code, stderr } = await foray(dev.folder, args, { env: receiver.env });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const path = [
    'foray-service: execute run',
    'foray-service: POST /api/open/8.5.0/versions/:versionId/runs',
    'foray-worker: POST /versions/:versionId/runs',
    'foray-worker: RunActivity:advance',
    'foray-worker: StartActivity:advance',
    'foray-worker: RunWorkflow:campaign',
    'foray-submit: StartWorkflow:campaign',
    'foray-submit: submit',
  ];
  const pathsOfRuns = (): string[][] =>
    receiver.spans
      .filter(({ name }) => name === 'execute run')
      .map((span) => receiver.pathOf(span).map(({ service, name }) => `${service}: ${name}`));
  await until('the spans of three runs and of the workflow are here', () => {
    const paths = pathsOfRuns();
    return paths.length >= 3 && paths.every((each) => each.length >= path.length);
  });
  expect(pathsOfRuns()).toEqual([path, path, path]);
  const { traceId } = receiver.spans.find(({ name }) => name === 'submit')!;
  const executed = receiver.spans.filter(({ name }) => name === 'execute run');
  expect(new Set(executed.map((span) => span.traceId))).toEqual(new Set([traceId]));
});

test('a campaign with traces replays without them, so somebody may switch them off', async () => {
  const connection = await Connection.connect({ address: dev.temporal });
  try {
    const history = await new Client({ connection }).workflow.getHandle('traced').fetchHistory();
    expect(JSON.stringify(history)).toContain('_tracer-data');
    await Worker.runReplayHistory({ workflowBundle: builtWorkflowBundle() }, history, 'traced');
    // the spans of the last step go nowhere
    const sinks = { exporter: { export: { fn: () => {} } } };
    const workflowBundle = builtWorkflowBundle('traced');
    await Worker.runReplayHistory({ workflowBundle, sinks }, history, 'traced');
  } finally {
    await connection.close();
  }
});
