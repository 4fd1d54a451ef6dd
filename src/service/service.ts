import { randomUUID } from 'node:crypto';
import os from 'node:os';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { listen, reachable } from '../http/listen.ts';
import { Sessions } from './animation/sessions.ts';
import { openDatabase, type ServiceDatabase } from './database/open.ts';
import { changeSetting, FOLDER, serviceIdentity } from './database/settings-table.ts';
import { ExecutorPool, type PoolOptions } from './executors/pool.ts';
import { memoryShare } from './executors/process.ts';
import { ContentFiles } from './files/content.ts';
import { checkEarlierFiles } from './files/earlier-files.ts';
import { filesIn, openContent } from './files/open.ts';
import { Presigner, signingSecret } from './files/presign.ts';
import { API_ROOT, buildApp } from './http/app.ts';
import { defaultLimits } from './http/limits.ts';
import { PublicAddress } from './http/public-address.ts';
import { Access } from './access.ts';
import { ensureUserKey } from '../keys/edit.ts';
import { keyFileIn } from '../keys/file.ts';
import { type MetricsEndpoint, serveMetrics } from './metrics.ts';
import { ModelReader } from './models/reader.ts';
import { ModelRegistry } from './models/registry.ts';
import { VersionFiles, versionFilesIn } from './models/version-files.ts';
import { VersionTable } from './models/version-table.ts';
import { watchModels } from './models/watch.ts';
import { Problems } from './problems.ts';
import { openReplicas, openShared } from './replicas.ts';
import { Dispatcher } from './runs/dispatcher.ts';
import { KeptRuns } from './runs/kept-runs.ts';
import { takeBackRuns, watchForUnheldRuns } from './runs/unheld-runs.ts';
import { Progress } from './runs/progress.ts';
import { QueueFeed } from './runs/queue-feed.ts';
import { QueueProblems } from './runs/queue-problems.ts';
import { Recorder } from './runs/recorder.ts';
import type { Replica } from './runs/replica.ts';
import { RunRepository } from './runs/repository.ts';
import { Runs } from './runs/runs.ts';
import { ServedVersions } from './runs/served-versions.ts';
import { VersionHistory } from './runs/version-history.ts';
import type { ServiceOptions } from './service-options.ts';
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
 * Starts the model service.
 *
 * @throws ForayError STORE_UNUSABLE, STORE_NEWER, STORE_UNREACHABLE, FILES_UNREACHABLE, FILES_UNUSABLE,
 *   TEMPORAL_UNREACHABLE, TEMPORAL_REFUSED, MODEL_INVALID, MODEL_UNREADABLE, KEYS_INVALID, OUTPUT_UNWRITABLE, PORT_IN_USE, USAGE
 */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const { host = '127.0.0.1', now = Date.now, after = afterRealTime, dataDir } = options;
  const publicAddress = new PublicAddress(options);
  const shared = options.database === undefined ? undefined : await openShared(options.database);
  const database = shared ?? openDatabase(dataDir);
  const bucket = options.s3?.bucket.url;
  const replicas = await openReplicas(shared, { dataDir, bucket, now });
  const filesDir = filesIn(dataDir, options.s3, replicas?.folders.cacheDir);
  const unfinishedDir = replicas?.folders.unfinishedDir;
  const files = new ContentFiles(filesDir, unfinishedDir);
  let replica: Replica | undefined;
  let app: FastifyInstance | undefined;
  let metrics: MetricsEndpoint | undefined;
  let ending: () => Promise<void> | undefined = () => undefined;
  // this log gets the output of models; it is set when the app has made the log
  let prints: FastifyBaseLogger | undefined;
  const onLine = (line: string, number: number, run: string): void => {
    if (number <= MOST_LOGGED) prints?.info({ run }, line);
    if (number === MOST_LOGGED) prints?.info({ run }, 'further output of this run is left out here');
  };
  const onFault = (error: unknown) => app?.log.error(error);
  const warn = (line: string): void => {
    app?.log.warn(line);
    options.onProblem?.(line);
  };
  const problems = new Problems(now, warn);
  const size = options.executors ?? os.availableParallelism();
  const processes = { filesDir, unfinishedDir, memory: memoryShare(Math.max(1, size)), onLine };
  let onLeaky: PoolOptions['onLeaky'];
  const pool = new ExecutorPool({
    ...processes,
    size,
    timeout: options.runTimeout,
    onLeaky: (versionId, difference) => onLeaky?.(versionId, difference),
  });
  try {
    const keyFile = options.keyFile ?? keyFileIn(dataDir);
    const clock = options.now ?? steadyNow;
    const presigner = new Presigner(await signingSecret(database.sql), clock);
    const content = await openContent({ s3: options.s3, files, presigner, problems, now: clock });
    const places = { dataDir, bucket, copiesDir: filesDir, store: content.store };
    if (!replicas) await checkEarlierFiles(database.sql, places);
    const reader = new ModelReader(options.modelDirs, clock);
    const own = { ...replicas?.folders.versions, shared: content.versions };
    const versionFiles = new VersionFiles(versionFilesIn(dataDir), own);
    versionFiles.prepare();
    const table = new VersionTable(database.sql, versionFiles, now);
    const registry = await ModelRegistry.open({ table, files: versionFiles, reader, problems });
    const noteLeak = (onLeaky = (versionId: string, difference: string): void => {
      registry.noteLeak(versionId, difference).then((line) => line !== undefined && warn(line), onFault);
    });
    const repository = new RunRepository(database.sql, now);
    const kept = options.keepFailed === undefined ? undefined : new KeptRuns(options.keepFailed, files);
    const progress = new Progress();
    replica = await replicas?.join({ runs: repository, progress, onFault });
    const ownHolder = randomUUID();
    const holder = () => replica?.holder ?? ownHolder;
    const feed = replica ?? new QueueFeed({ holders: repository.holders, progress, holder: ownHolder });
    repository.whenEnded((runIds) => feed.end(runIds));
    const listener = new QueueProblems({ registry, problems, onDoubt: () => modelWatch.readSoon() });
    const recorder = new Recorder(feed, listener);
    const materials = new ServedVersions(registry, content.runFiles);
    const dispatcher = new Dispatcher({ feed, materials, pool, recorder, listener, kept, onFault });
    const wake = () => {
      dispatcher.wake();
      fleet?.wake();
    };
    const onQueued = () => {
      wake();
      database.peers?.tell();
    };
    const runs = new Runs({
      repository,
      registry,
      files: content.store,
      progress,
      holder,
      kept,
      onQueued,
    });
    const sessions = new Sessions({
      runs,
      registry,
      recorder,
      progress,
      processes,
      files: content.runFiles,
      after,
    });
    const service = await serviceIdentity(database.sql);
    const fleet =
      options.lanes &&
      (await (
        await import('./fleet/start.ts')
      ).startFleet({
        lanes: options.lanes,
        sql: database.sql,
        now,
        service,
        problems,
        onLeaky: noteLeak,
        onFault,
        onRequeued: onQueued,
        runs: repository,
        registry,
        progress,
        files: content.store,
        code: versionFiles,
        runTimeout: options.runTimeout,
        executesAll: size > 0,
      }));
    ending = () => fleet?.close();
    const measured = { runs: repository, pool, problems, executors: fleet?.fleet.executors };
    if (options.metrics) metrics = await serveMetrics(options.metrics, measured);
    const access = new Access({
      file: keyFile,
      required: options.keyFile !== undefined,
      localKey: options.apiKey,
      models: () => registry.models().map(({ name }) => name),
      onFault,
    });
    await replicas?.agree(access);
    app = await buildApp({
      fleet: fleet?.fleet,
      registry,
      history: new VersionHistory(repository, registry),
      runs,
      sessions,
      versionFiles,
      content: content.store,
      disk: content.disk,
      presigner,
      access,
      isShared: replica !== undefined,
      health: () => ({ ...problems.health(), service }),
      publicAddress,
      limits: { ...defaultLimits, ...options.limits },
      log: options.log,
      logLevel: options.logLevel ?? 'info',
      tell: warn,
      onAnswered: metrics?.note,
    });
    prints = app.log.child({}, { level: 'info' });
    registry.warnings().forEach(warn);
    let reading = Promise.resolve(true);
    const reload = async (): Promise<boolean> => {
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
    };
    if (!replica) await takeBackRuns(repository, ownHolder);
    else if (await replica.isAlone()) await repository.dropAllParts();
    const port = await listen(app, host, options.port ?? 0);
    // only now, because a start that failed must not tie the service to a bucket
    const finish = async (): Promise<void> => {
      await replicas?.settleKeys(access);
      if (!replicas && bucket !== undefined) await changeSetting(database.sql, FOLDER, bucket);
    };
    // only now, because nobody would ever see the key of a start that failed
    const makesKey = options.keyFile === undefined && options.apiKey === undefined;
    const newKey = makesKey ? await ensureUserKey(keyFile, finish) : undefined;
    if (!makesKey) await finish();
    dispatcher.wake();
    const modelWatch = watchModels(options.modelDirs, () => (reading = reload()));
    replica?.start({
      held: () => dispatcher.held(),
      stop: (runId) => pool.stop(runId),
      wake,
      async look() {
        await registry.notice();
        await replicas!.noteKeys(access);
      },
    });
    const endFileWatch = watchFile(database, problems);
    const endLostRuns = watchForUnheldRuns({
      runs: repository,
      holder,
      isHeld: (id) => dispatcher.has(id) || sessions.executes(id) || recorder.isPending(id),
      onRequeued: () => dispatcher.wake(),
      onFault,
    });

    const listening = app;
    const end = async (): Promise<void> => {
      modelWatch.end();
      endFileWatch();
      endLostRuns();
      dispatcher.close();
      content.runFiles?.close();
      await ending();
      await reading;
      await sessions.close();
      await listening.close();
      await metrics?.close();
      await pool.close();
      recorder.close();
      await replica?.release().catch(onFault);
      replicas?.removeFolders();
      await database.close();
    };
    let ended: Promise<void> | undefined;
    return {
      url: `http://${reachable(host)}:${port}${API_ROOT}`,
      host,
      port,
      metricsUrl: metrics?.url,
      newKey,
      close: () => (ended ??= end()),
    };
  } catch (error) {
    await app?.close();
    await ending();
    await metrics?.close();
    await pool.close();
    await replica?.release().catch(() => {});
    replicas?.removeFolders();
    await database.close();
    throw error;
  }
}

/** How often the file of the database is looked for, ms. */
const LOOK_FOR_FILE = 500;

/** Tells within a second that the file of the database was removed or replaced. Returns a function that ends this. */
function watchFile({ whyLost }: ServiceDatabase, problems: Problems): () => void {
  const timer = setInterval(() => {
    const lost = whyLost();
    const message = 'The file of the database was removed or replaced: nothing is read or written.';
    if (lost) problems.raise({ code: 'DATABASE_LOST', subject: '', message, detail: lost.toLine() });
    else problems.resolve('DATABASE_LOST', '');
  }, LOOK_FOR_FILE).unref();
  return () => clearInterval(timer);
}
