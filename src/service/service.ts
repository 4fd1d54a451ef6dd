import { randomUUID } from 'node:crypto';
import os from 'node:os';
import type { FastifyInstance } from 'fastify';
import { listen, reachableHost } from '../http/listen.ts';
import { ensureUserKey } from '../keys/edit.ts';
import { keyFileIn } from '../keys/file.ts';
import { Access } from './access.ts';
import { Sessions } from './animation/sessions.ts';
import { openDatabase, type ServiceDatabase } from './database/open.ts';
import { storeSetting, FOLDER, serviceIdentity } from './database/settings-table.ts';
import { ExecutorPool } from './executors/pool.ts';
import { memoryShare } from './executors/process.ts';
import { ContentFiles } from './files/content.ts';
import { checkEarlierFiles } from './files/earlier-files.ts';
import { filesIn, openContent } from './files/open.ts';
import { Presigner, signingSecret } from './files/presign.ts';
import { Executors } from './fleet/executors.ts';
import { Fleet } from './fleet/fleet.ts';
import { laneQueues } from './fleet/lane.ts';
import { addInterface, API_ROOT, newApp } from './http/app.ts';
import { defaultLimits } from './http/limits.ts';
import { PublicAddress } from './http/public-address.ts';
import { serveMetrics } from './metrics.ts';
import { ModelReader } from './models/reader.ts';
import { ModelRegistry } from './models/registry.ts';
import { VersionFiles, versionFilesIn } from './models/version-files.ts';
import { VersionTable } from './models/version-table.ts';
import { ModelWatch } from './models/watch.ts';
import { Problems } from './problems.ts';
import { openShared, Replicas } from './replicas.ts';
import { Dispatcher } from './runs/dispatcher.ts';
import { KeptRuns } from './runs/kept-runs.ts';
import { Progress } from './runs/progress.ts';
import { QueueFeed } from './runs/queue-feed.ts';
import { QueueProblems } from './runs/queue-problems.ts';
import { Recorder } from './runs/recorder.ts';
import { RunRepository } from './runs/repository.ts';
import { Runs } from './runs/runs.ts';
import { ServedVersions } from './runs/served-versions.ts';
import { takeBackRuns, watchForUnheldRuns } from './runs/unheld-runs.ts';
import { VersionHistory } from './runs/version-history.ts';
import type { ServiceOptions } from './service-options.ts';
import { isUnreachable } from './system-errors.ts';
import { after as afterRealTime } from './timers.ts';

export interface RunningService {
  /** The root address of the interface, with its version. */
  url: string;
  host: string;
  port: number;
  /** The address of the metrics, if they are served. */
  metricsUrl: string | undefined;
  /** The key of the local user, if it is new. Only its hash is kept. */
  newKey: string | undefined;
  /**
   * Waits for open requests. Runs that this service executes are executed again, at its next start or by another
   * replica. Animated runs are stopped.
   */
  close(): Promise<void>;
}

/** The maximum number of printed lines per run in the service's log, because a model may print any amount. */
const MOST_LOGGED = 1_000;

/** The start time of the process plus the time since then, in ms since 1970. A change of the clock does not move it. */
const steadyNow = (): number => Math.round(performance.timeOrigin + performance.now());

/**
 * Starts the model service, in stages. Each stage gets what the stages before it have opened, and adds its own parts.
 * What it opens goes on the list `cleanUp`, which is worked off from its end when the service closes or its start fails.
 *
 * @throws ForayError STORE_UNUSABLE, STORE_NEWER, STORE_UNREACHABLE, FILES_UNREACHABLE, FILES_UNUSABLE,
 *   TEMPORAL_UNREACHABLE, TEMPORAL_REFUSED, MODEL_INVALID, MODEL_UNREADABLE, KEYS_INVALID, OUTPUT_UNWRITABLE, PORT_IN_USE, USAGE
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const base = prepare(options);
  const { host, cleanUp, onFault } = base;
  try {
    const queue = await openQueue(await openContents(await openData(base)));
    const service = await openInterface(openExecutors(queue));
    const { port, newKey } = await admitClients(service);
    keepWorking(service);
    let closed: Promise<void> | undefined;
    return {
      url: `http://${reachableHost(host)}:${port}${API_ROOT}`,
      host,
      port,
      metricsUrl: service.metrics?.url,
      newKey,
      close: () => (closed ??= cleanUp.disposeAsync()),
    };
  } catch (error) {
    await cleanUp.disposeAsync().catch(onFault);
    throw error;
  }
}

type Base = ReturnType<typeof prepare>;
type WithData = Awaited<ReturnType<typeof openData>>;
type WithContents = Awaited<ReturnType<typeof openContents>>;
type WithQueue = Awaited<ReturnType<typeof openQueue>>;
type WithExecutors = ReturnType<typeof openExecutors>;
type WithInterface = Awaited<ReturnType<typeof openInterface>>;

/** What all stages use. Nothing of it needs to be closed. */
function prepare(options: ServiceOptions) {
  const { log, logLevel = 'info', host = '127.0.0.1', now = Date.now, after = afterRealTime } = options;
  const publicAddress = new PublicAddress(options);
  const warn = (line: string): void => {
    app.log.warn(line);
    options.onProblem?.(line);
  };
  const app: FastifyInstance = newApp({ log, logLevel });
  return {
    options,
    host,
    now,
    clock: options.now ?? steadyNow,
    after,
    publicAddress,
    app,
    warn,
    // `watchDatabase` tells once that the database is away, whatever fails because of it
    onFault: (error: unknown): void => {
      if (!isUnreachable(error)) app.log.error(error);
    },
    problems: new Problems(now, warn),
    cleanUp: new AsyncDisposableStack(),
  };
}

/** Opens the database, and finds the folders for files. */
async function openData(base: Base) {
  const { options, now, cleanUp } = base;
  const { dataDir, s3 } = options;
  const shared = options.database === undefined ? undefined : await openShared(options.database);
  const database: ServiceDatabase = shared ?? openDatabase(dataDir);
  cleanUp.defer(() => database.close());
  const bucket = s3?.bucket.url;
  const replicas = shared && (await Replicas.open(shared, { dataDir, bucket, now }));
  if (replicas) cleanUp.defer(() => replicas.removeFolders());
  const filesDir = filesIn(dataDir, s3, replicas?.folders.cacheDir);
  return { ...base, database, replicas, bucket, filesDir, unfinishedDir: replicas?.folders.unfinishedDir };
}

/** Opens the files of clients and runs, and reads the models. */
async function openContents(data: WithData) {
  const {
    options,
    clock,
    now,
    warn,
    onFault,
    problems,
    database,
    replicas,
    bucket,
    filesDir,
    unfinishedDir,
    cleanUp,
  } = data;
  const { dataDir, modelDirs, s3 } = options;
  const files = new ContentFiles(filesDir, unfinishedDir);
  const presigner = new Presigner(await signingSecret(database.sql), clock);
  const content = await openContent({ s3, files, presigner, problems, now: clock });
  const places = { dataDir, bucket, copiesDir: filesDir, store: content.store };
  if (!replicas) await checkEarlierFiles(database.sql, places);
  const own = { ...replicas?.folders.versions, shared: content.versions };
  const versionFiles = new VersionFiles(versionFilesIn(dataDir), own);
  versionFiles.prepare();
  const modelWatch = new ModelWatch(modelDirs);
  const reader = new ModelReader(modelDirs, clock);
  cleanUp.defer(() => reader.close());
  const table = new VersionTable(database.sql, versionFiles, now);
  const registry = await ModelRegistry.open({ table, files: versionFiles, reader, problems, warn });
  if (registry.isWaiting) modelWatch.readSoon();
  const noteLeak = (versionId: string, difference: string): void => {
    registry.noteLeak(versionId, difference).then((line) => line !== undefined && warn(line), onFault);
  };
  return { ...data, files, presigner, content, versionFiles, registry, reader, modelWatch, noteLeak };
}

/** Opens the queue: this service becomes a holder of its runs. */
async function openQueue(contents: WithContents) {
  const { cleanUp, onFault, now, database, replicas, registry, problems, modelWatch } = contents;
  const repository = new RunRepository(database.sql, now);
  const progress = new Progress();
  const replica = await replicas?.join({ runs: repository, progress, onFault });
  if (replica) cleanUp.defer(() => replica.release().catch(onFault));
  const ownHolder = randomUUID();
  const feed = replica ?? new QueueFeed({ holders: repository.holders, progress, holder: ownHolder });
  repository.whenEnded((runIds) => feed.end(runIds));
  const listener = new QueueProblems({ registry, problems, onDeferred: () => modelWatch.readSoon() });
  const recorder = new Recorder(feed, listener);
  cleanUp.defer(() => recorder.close());
  const holder = (): string => replica?.holder ?? ownHolder;
  return { ...contents, repository, progress, replica, feed, holder, listener, recorder };
}

/** Makes the executors of this service, for runs of the queue and for animated runs. They do not work yet. */
function openExecutors(queue: WithQueue) {
  const { options, app, cleanUp, onFault, after, database, filesDir, unfinishedDir, files, content } = queue;
  const { registry, noteLeak, repository, progress, feed, holder, listener, recorder } = queue;
  // the output of models is in the log at any level
  const prints = app.log.child({}, { level: 'info' });
  const onLine = (line: string, number: number, run: string): void => {
    if (number <= MOST_LOGGED) prints.info({ run }, line);
    if (number === MOST_LOGGED) prints.info({ run }, 'further output of this run is left out here');
  };
  const size = options.executors ?? os.availableParallelism();
  const processes = { filesDir, unfinishedDir, memory: memoryShare(Math.max(1, size)), onLine };
  const pool = new ExecutorPool({ ...processes, size, timeout: options.runTimeout, onLeaky: noteLeak });
  cleanUp.defer(() => pool.close());
  const kept = options.keepFailed === undefined ? undefined : new KeptRuns(options.keepFailed, files);
  const materials = new ServedVersions(registry, content.runFiles);
  const dispatcher = new Dispatcher({ feed, materials, pool, recorder, listener, kept, onFault });
  /** All that looks for runs in the queue. */
  const workers: { wake(): void }[] = [dispatcher];
  const wake = (): void => workers.forEach((each) => each.wake());
  const onQueued = (): void => {
    wake();
    database.peers?.notify();
  };
  const runs = new Runs({ repository, registry, files: content.store, progress, holder, kept, onQueued });
  const sessions = new Sessions({
    runs,
    registry,
    recorder,
    progress,
    processes,
    after,
    files: content.runFiles,
  });
  return { ...queue, pool, dispatcher, workers, wake, onQueued, runs, sessions };
}

/** Makes the HTTP interface, and opens lanes for executors on other machines. Nobody can reach the interface yet. */
async function openInterface(parts: WithExecutors) {
  const { options, app, cleanUp, onFault, warn, publicAddress, problems, database, presigner, content } =
    parts;
  const { replicas, replica, registry, versionFiles, repository, pool, runs, sessions } = parts;
  const service = await serviceIdentity(database.sql);
  const fleet = options.lanes && fleetOf(parts, options.lanes.namespace, service);
  const measured = { runs: repository, pool, problems, executors: fleet?.executors };
  const metrics = options.metrics && (await serveMetrics(options.metrics, measured));
  if (metrics) cleanUp.defer(() => metrics.close());
  const access = new Access({
    file: options.keyFile ?? keyFileIn(options.dataDir),
    required: options.keyFile !== undefined,
    localKey: options.apiKey,
    models: () => registry.models().map(({ name }) => name),
    onFault,
  });
  await replicas?.agree(access);
  cleanUp.defer(() => app.close());
  // animated runs end first, because `app` waits for open requests
  cleanUp.defer(() => sessions.close());
  await addInterface(app, {
    fleet,
    registry,
    runs,
    sessions,
    versionFiles,
    presigner,
    access,
    publicAddress,
    warn,
    history: new VersionHistory(repository, registry),
    content: content.store,
    disk: content.disk,
    isShared: replica !== undefined,
    health: () => ({ ...problems.health(), service }),
    limits: { ...defaultLimits, ...options.limits },
    onAnswered: metrics?.note,
  });
  if (fleet) await openLanes(parts, fleet, service);
  return { ...parts, access, metrics };
}

/** The part of the service that answers executors on other machines. */
function fleetOf(parts: WithExecutors, namespace: string, service: string): Fleet {
  const { options, now, database, registry, progress, repository, content, versionFiles, wake, noteLeak } =
    parts;
  return new Fleet({
    registry,
    progress,
    files: content.store,
    code: versionFiles,
    onArrived: wake,
    onLeaky: noteLeak,
    executors: new Executors(database.sql, now),
    holders: repository.holders,
    welcome: {
      service,
      namespace,
      taskQueue: laneQueues(service).executors,
      runTimeout: options.runTimeout ?? null,
      hasStore: content.store.uploadAddress !== undefined,
    },
  });
}

/**
 * Begins to open lanes for executors on other machines. Temporal's packages are loaded only here.
 * @throws ForayError TEMPORAL_UNREACHABLE, TEMPORAL_REFUSED
 */
async function openLanes(parts: WithExecutors, fleet: Fleet, service: string): Promise<void> {
  const { options, cleanUp, onFault, problems, repository, pool, workers, onQueued } = parts;
  const { LaneKeeper } = await import('./fleet/lane-keeper.ts');
  const given = { service, fleet, problems, executesAll: pool.size > 0, onRequeued: onQueued, onFault };
  const keeper = await LaneKeeper.start({ ...given, runs: repository }, options.lanes!);
  cleanUp.defer(() => keeper.close());
  workers.push(keeper);
}

/** Takes back the runs of an earlier process of the service, and listens. Nothing can fail after this. */
async function admitClients(parts: WithInterface): Promise<{ port: number; newKey: string | undefined }> {
  const { options, app, host, cleanUp, warn, database, bucket, content, modelWatch, reader, registry } =
    parts;
  const { replicas, replica, holder, repository, dispatcher, access } = parts;
  registry.warnings().forEach(warn);
  if (!replica) await takeBackRuns(repository, holder());
  else if (await replica.isAlone()) await repository.dropAllParts();
  cleanUp.defer(async () => {
    // the current reading does not wait for models that are being loaded
    reader.close();
    await modelWatch.close();
  });
  cleanUp.defer(() => content.runFiles?.close());
  cleanUp.defer(() => dispatcher.close());
  const port = await listen(app, host, options.port ?? 0);
  // only now, because a start that failed must not tie the service to a bucket
  const finish = async (): Promise<void> => {
    await replicas?.settleKeys(access);
    if (!replicas && bucket !== undefined) await storeSetting(database.sql, FOLDER, bucket);
  };
  // only now, because nobody would ever see the key of a start that failed
  const makesKey = options.keyFile === undefined && options.apiKey === undefined;
  if (makesKey) return { port, newKey: await ensureUserKey(keyFileIn(options.dataDir), finish) };
  await finish();
  return { port, newKey: undefined };
}

/** Begins to execute runs, and watches what can change: models, the other replicas, the database and lost runs. */
function keepWorking(parts: WithInterface): void {
  const { options, cleanUp, onFault, warn, problems, database, registry, modelWatch, replicas } = parts;
  const { repository, replica, holder, recorder, pool, dispatcher, wake, sessions, access } = parts;
  dispatcher.wake();
  modelWatch.start(async () => {
    try {
      const { lines, warnings, hasChanged, isComplete } = await registry.reload();
      if (hasChanged) pool.renew();
      dispatcher.wake();
      for (const line of lines) options.onModels?.(line);
      warnings.forEach(warn);
      return isComplete;
    } catch (error) {
      onFault(error);
      return false;
    }
  });
  replica?.start({
    held: () => dispatcher.claimedRuns(),
    stop: (runId) => pool.stop(runId),
    wake,
    async look() {
      await registry.notice();
      await replicas!.noteKeys(access);
    },
  });
  cleanUp.defer(watchDatabase(database, problems));
  const endLostRuns = watchForUnheldRuns({
    runs: repository,
    holder,
    isHeld: (id) => dispatcher.has(id) || sessions.executes(id) || recorder.isPending(id),
    onRequeued: () => dispatcher.wake(),
    onFault,
  });
  cleanUp.defer(endLostRuns);
}

/** The interval between two checks of the database, ms. */
const CHECK_DATABASE_EVERY = 500;

/**
 * Tells once that the database is away, and once that it is back: within a second if its file was removed or replaced,
 * within seconds if its server cannot be reached. Returns a function that ends this.
 */
function watchDatabase({ whyLost }: ServiceDatabase, problems: Problems): () => void {
  const timer = setInterval(() => {
    const lost = whyLost();
    if (!lost) return problems.replace(['DATABASE_LOST', 'DATABASE_AWAY'], []);
    const isFileLost = lost.code === 'STORE_LOST';
    problems.raise({
      code: isFileLost ? 'DATABASE_LOST' : 'DATABASE_AWAY',
      subject: '',
      message: isFileLost
        ? 'The file of the database was removed or replaced: nothing is read or written.'
        : 'The database cannot be reached: nothing is read or written.',
      detail: lost.toLine(),
    });
  }, CHECK_DATABASE_EVERY).unref();
  return () => clearInterval(timer);
}
