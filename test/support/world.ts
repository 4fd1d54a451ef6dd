import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { NativeConnection, Worker } from '@temporalio/worker';
import { type Activities, Courses, createActivities } from '../../src/activities/index.ts';
import { expand, runInputs } from '../../src/campaign/points.ts';
import { cloudClient, Foray, type Settings } from '../../src/client/index.ts';
import { isCloudError } from '../../src/cloud/index.ts';
import { serverSettings } from '../../src/dev/temporal-cli.ts';
import type { ServiceOptions } from '../../src/service/service-options.ts';
import { dataConverter } from '../../src/payload-codec.ts';
import { type RunningService, startService } from '../../src/service/service.ts';
import { openStore, type ResultRow } from '../../src/store/index.ts';
import { CurrentBuild, type LookTimes } from '../../src/current-build.ts';
import { deploymentOptions } from '../../worker.ts';
import { REHEARSAL } from '../service/fixed.ts';
import './quiet-runtime.ts';
import { builtWorkflowBundle } from './built-workflow-bundle.ts';
import { connected, type TemporalProcess, temporalProcess } from './temporal.ts';

export const KEY = 'a9f4b7c0-0000-4000-8000-7e57c0ffee00';

/**
 * The environment of most tests: a real Temporal server, a real model service over HTTP, a real store, and a client.
 */
export interface World {
  environment: TestWorkflowEnvironment;
  service: RunningService;
  settings: Settings;
  foray: Foray;
  folder: string;
  /** Starts a worker in this process. Resolves to a function that ends it. */
  startWorker(as?: {
    /** Its build, which becomes the current one as that of `foray worker` does. @default a worker without a build */
    buildId?: string;
    identity?: string;
    /** How it looks for builds without a worker. @default as `foray worker` */
    looks?: LookTimes;
    /** Receives what it tells about builds. */
    tell?: (line: string) => void;
    /** The maximum number of activities that the worker runs at once. */
    activities?: number;
    /** The path of the file of notices. */
    notices?: string;
    /** Replaces activities. */
    spoil?: (activities: Activities) => Activities;
  }): Promise<() => Promise<void>>;
  /**
   * The status at the service of each run that a campaign could have requested, in the order of the design. It is NONE
   * for an unknown run.
   */
  statusesInOrder(id: string): Promise<string[]>;
  /** The number of a campaign's runs with each status at the service. */
  statusesAtService(id: string): Promise<Record<string, number>>;
  rows(id: string): Promise<ResultRow[]>;
  /** For each run, how often the service has started to execute it. */
  executions(): number[];
  close(): Promise<void>;
}

export interface WorldOptions {
  /** The number of history events after which the server suggests continuing as new. */
  suggestContinueAsNew?: number;
  /** @default 2 */
  executors?: number;
  /** More options of the model service. */
  service?: Partial<ServiceOptions>;
  /** Folders of models. @default the model Rehearsal */
  models?: string[];
  /** The Temporal server, before its start. @default a development server */
  temporal?: TemporalProcess;
  /** Whether the Temporal server lacks the search attributes of campaigns. */
  lacksAttributes?: boolean;
  /** Another world, whose Temporal server this world uses with its own task queue. */
  beside?: World;
  /** The address of the store. @default an SQLite file of this world */
  store?: string;
  /** The module with the codecs of payloads. */
  payloadCodec?: string;
  /** Puts a proxy between foray and the service. foray then uses the address of the proxy. */
  through?: (service: RunningService) => Promise<{ url: string; close(): Promise<void> }>;
}

export async function startWorld({
  suggestContinueAsNew,
  executors = 2,
  models = [REHEARSAL],
  lacksAttributes = false,
  temporal: given,
  beside,
  store,
  payloadCodec,
  service: serviceOptions,
  through,
}: WorldOptions = {}): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'foray-test-'));
  // the SDK could start the server, too, but it gives up after 5 s
  const temporal = beside
    ? undefined
    : (given ??
      (await temporalProcess(undefined, [
        ...(lacksAttributes ? [] : serverSettings),
        ...(suggestContinueAsNew
          ? ['--dynamic-config-value', `limit.historyCount.suggestContinueAsNew=${suggestContinueAsNew}`]
          : []),
      ])));
  await temporal?.start();
  const environment =
    beside?.environment ??
    (await TestWorkflowEnvironment.createFromExistingServer({ address: temporal!.address }));
  const dataDir = join(folder, 'service');
  const service = await startService({
    dataDir,
    modelDirs: models,
    executors,
    apiKey: KEY,
    ...serviceOptions,
  });
  const front = await through?.(service);
  const settings: Settings = {
    service: { url: front?.url ?? service.url, key: KEY },
    store: store ?? `sqlite:${join(folder, 'store.db')}`,
    taskQueue: beside ? `foray-${folder.slice(-6)}` : 'foray',
    owner: 'somebody',
    temporal: { connectionOptions: { address: environment.address }, namespace: 'default', payloadCodec },
    webUi: 'http://127.0.0.1:8233',
  };
  const foray = await Foray.open(settings);
  await connected(foray);
  const cloud = cloudClient({ service: { url: service.url, key: KEY } }, 'person');
  const stops = new Set<() => Promise<void>>();

  async function statusesInOrder(id: string): Promise<string[]> {
    const { campaign } = (await foray.results(id)).record;
    const statuses: string[] = [];
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
        statuses.push(status);
      }
    }
    return statuses;
  }

  return {
    environment,
    service,
    settings,
    foray,
    folder,
    async startWorker({
      buildId,
      identity,
      looks,
      tell = () => undefined,
      activities,
      notices,
      spoil = (real: Activities) => real,
    } = {}) {
      const own = await openStore(settings.store);
      const courses = new Courses();
      // each worker has its own connection, because several workers of one process may not share a connection
      const connection = await NativeConnection.connect({ address: environment.address });
      const worker = await Worker.create({
        connection,
        namespace: 'default',
        taskQueue: settings.taskQueue,
        workflowBundle: builtWorkflowBundle(),
        dataConverter: await dataConverter(payloadCodec),
        activities: spoil(
          createActivities(
            { store: own, cloud: cloudClient(settings, 'worker'), service: settings.service.url, notices },
            courses,
          ),
        ),
        shutdownGraceTime: '1s',
        ...(identity !== undefined && { identity }),
        ...(activities !== undefined && { maxConcurrentActivityTaskExecutions: activities }),
        ...(buildId !== undefined && {
          workerDeploymentOptions: deploymentOptions(settings.taskQueue, buildId),
        }),
      });
      const running = worker.run();
      const { taskQueue } = settings;
      const build =
        buildId === undefined
          ? undefined
          : new CurrentBuild(
              connection,
              { namespace: 'default', taskQueue, build: buildId, identity: identity ?? buildId },
              tell,
              looks,
            );
      await build?.start();
      const stop = async (): Promise<void> => {
        if (!stops.delete(stop)) return;
        await build?.close();
        worker.shutdown();
        await running;
        courses.close();
        await connection.close();
        await own.close();
      };
      stops.add(stop);
      return stop;
    },
    statusesInOrder,
    async statusesAtService(id) {
      const counts: Record<string, number> = {};
      for (const status of await statusesInOrder(id)) counts[status] = (counts[status] ?? 0) + 1;
      return counts;
    },
    rows: async (id) => Array.fromAsync((await foray.results(id)).rows),
    executions: () => executionsIn(dataDir),
    async close() {
      for (const stop of stops) await stop();
      await foray.close();
      await front?.close();
      await service.close();
      if (!beside) await environment.teardown();
      await temporal?.kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** For each run of the service with this folder, how often it was executed. The runs are in the order of requests. */
export function executionsIn(dataDir: string): number[] {
  const database = new DatabaseSync(join(dataDir, 'service.db'), { readOnly: true });
  try {
    const rows = database.prepare('select executions from runs order by seq').all();
    return rows.map(({ executions }) => Number(executions));
  } finally {
    database.close();
  }
}

/** A definition of the model "Rehearsal": `count` runs that wait some seconds, with different values of `Value`. */
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
