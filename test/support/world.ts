import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { bundleWorkflowCode, DefaultLogger, Runtime, Worker, type WorkflowBundle } from '@temporalio/worker';
import { createActivities } from '../../src/activities/index.ts';
import { expand, runInputs } from '../../src/campaign/design.ts';
import { cloudClient, Foray, type Settings } from '../../src/client/index.ts';
import { isCloudError } from '../../src/cloud/index.ts';
import { type RunningService, startService } from '../../src/service/service.ts';
import { openStore, type ResultRow } from '../../src/store/index.ts';

const ROOT = resolve(import.meta.dirname, '../..');
export const KEY = 'a9f4b7c0-0000-4000-8000-7e57c0ffee00';
const WORKFLOWS = join(ROOT, 'src/workflows/index.ts');

Runtime.install({ logger: new DefaultLogger('ERROR') });

/** A real Temporal server, a real model service over HTTP, a real store, and a client: what most tests stand on. */
export interface World {
  environment: TestWorkflowEnvironment;
  service: RunningService;
  settings: Settings;
  foray: Foray;
  folder: string;
  /** Starts a worker in this process; resolves to what stops it. */
  startWorker(): Promise<() => Promise<void>>;
  /** Statuses at the service of all runs that a campaign could have requested: how many of each. */
  statusesAtService(id: string): Promise<Record<string, number>>;
  rows(id: string): Promise<ResultRow[]>;
  close(): Promise<void>;
}

/**
 * @param suggestContinueAsNew history events after which the server suggests to continue as new
 */
export async function startWorld({
  suggestContinueAsNew,
  executors = 4,
}: { suggestContinueAsNew?: number; executors?: number } = {}): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'foray-test-'));
  const environment = await TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: 'existing-path', path: process.env.FORAY_TEMPORAL_CLI! },
      log: { format: 'pretty', level: 'never' },
      extraArgs: suggestContinueAsNew
        ? ['--dynamic-config-value', `limit.historyCount.suggestContinueAsNew=${suggestContinueAsNew}`]
        : [],
    },
  });
  const service = await startService({
    dataDir: join(folder, 'service'),
    modelDirs: [join(ROOT, 'models')],
    executors,
    apiKey: KEY,
  });
  const settings: Settings = {
    service: { url: service.url, key: KEY },
    store: `sqlite:${join(folder, 'store.db')}`,
    taskQueue: 'foray',
    temporal: { connectionOptions: { address: environment.address }, namespace: 'default' },
    webUi: 'http://127.0.0.1:8233',
  };
  const foray = await Foray.open(settings);
  const cloud = cloudClient(settings, 'person');
  const stops = new Set<() => Promise<void>>();
  let bundle: WorkflowBundle | undefined;

  return {
    environment,
    service,
    settings,
    foray,
    folder,
    async startWorker() {
      bundle ??= await bundleWorkflowCode({ workflowsPath: WORKFLOWS, logger: new DefaultLogger('ERROR') });
      const store = await openStore(settings.store);
      const worker = await Worker.create({
        connection: environment.nativeConnection,
        namespace: 'default',
        taskQueue: settings.taskQueue,
        workflowBundle: bundle,
        activities: createActivities({
          store,
          cloud: cloudClient(settings, 'worker'),
          service: settings.service.url,
        }),
        shutdownGraceTime: '1s',
      });
      const running = worker.run();
      const stop = async (): Promise<void> => {
        if (!stops.delete(stop)) return;
        worker.shutdown();
        await running;
        await store.close();
      };
      stops.add(stop);
      return stop;
    },
    async statusesAtService(id) {
      const { campaign } = (await foray.results(id)).record;
      const counts: Record<string, number> = {};
      for (const point of expand(campaign)) {
        for (let replication = 1; replication <= campaign.replications; replication += 1) {
          const inputs = runInputs(campaign, point, replication);
          const status = await cloud
            .findRun(campaign.model.versionId, { experimentType: 'SIMULATION', inputs })
            .then((run) => run.status)
            .catch((error: unknown) => {
              if (isCloudError(error) && error.kind === 'not-found') return 'NONE';
              throw error;
            });
          counts[status] = (counts[status] ?? 0) + 1;
        }
      }
      return counts;
    },
    rows: async (id) => Array.fromAsync((await foray.results(id)).rows),
    async close() {
      for (const stop of stops) await stop();
      await foray.close();
      await service.close();
      await environment.teardown();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The definition of a campaign of the model that waits: `count` runs of some seconds, told apart by `Value`. */
export function rehearsal({
  count,
  seconds = 0,
  first = 1,
  name = 'rehearsal',
  more = '',
}: {
  count: number;
  seconds?: number;
  first?: number;
  name?: string;
  more?: string;
}): { text: string; file: string } {
  const text = `
campaign: ${name}
model: {name: Rehearsal}
inputs: {Seconds: ${seconds}}
design: {grid: {Value: {from: ${first}, to: ${first + count - 1}, step: 1}}}
${more}
`;
  return { text, file: 'rehearsal.yaml' };
}
