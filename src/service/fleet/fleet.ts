import type { ListedExecutor } from '../../api/extensions.ts';
import { ServiceError } from '../errors.ts';
import type { ContentStore } from '../files/content-store.ts';
import type { ModelRegistry, ServedVersion } from '../models/registry.ts';
import { whyNotRunnable } from '../models/manifest.ts';
import type { VersionFiles } from '../models/version-files.ts';
import type { Problem } from '../problems.ts';
import { type ClaimedRun, type Feed, HolderClosed } from '../runs/feed.ts';
import type { Holders } from '../runs/holders.ts';
import type { Progress } from '../runs/progress.ts';
import { QueueFeed } from '../runs/queue-feed.ts';
import type { Executors } from './executors.ts';
import type { Beat, BeatAnswer, Claim, FetchedVersion, Hello, Report, Welcome } from './protocol.ts';

export interface FleetParts {
  executors: Executors;
  holders: Holders;
  registry: ModelRegistry;
  progress: Progress;
  /** The files of clients and runs. */
  files: ContentStore;
  code: VersionFiles;
  welcome: Welcome;
  /** Called at the first report to this service after each start of an executor. */
  onArrived: () => void;
  /** Called when outputs of a version have depended on earlier runs; also again for a known version. */
  onLeaky: (versionId: string, difference: string) => void;
}

/**
 * Answers the requests of executors on other machines. Each executor claims runs from the queue under the id of its
 * holder, and gets the code and files of its runs.
 */
export class Fleet {
  readonly executors: Executors;
  readonly files: ContentStore;
  readonly code: VersionFiles;
  readonly #parts: FleetParts;
  /** The start times of the executors that have reported here and have not left, by the name of the executor. */
  readonly #arrivals = new Map<string, string>();

  constructor(parts: FleetParts) {
    this.executors = parts.executors;
    this.files = parts.files;
    this.code = parts.code;
    this.#parts = parts;
  }

  /** @throws ServiceError OTHER_BUILD, NAME_TAKEN */
  async greet(name: string, hello: Hello): Promise<Welcome> {
    await this.executors.note(name, hello);
    for (const { versionId, difference } of hello.leaks) this.#parts.onLeaky(versionId, difference);
    if (this.#arrivals.get(name) !== hello.since) {
      this.#arrivals.set(name, hello.since);
      await this.executors.forget();
      this.#parts.onArrived();
    }
    return this.#parts.welcome;
  }

  async leave(name: string): Promise<void> {
    this.#arrivals.delete(name);
    await this.executors.remove(name);
  }

  /** @throws ServiceError HOLDER_CLOSED */
  async claim(keyName: string, { holder, has, most, without }: Claim): Promise<{ runs: ClaimedRun[] }> {
    const { holders } = this.#parts;
    try {
      await holders.open(holder, `executor ${keyName}`);
      const runs = await this.#feedOf(holder).claim(most, [...without, ...this.#unfitFor(has)]);
      return { runs: runs.map(({ id, versionId, inputs, trace }) => ({ id, versionId, inputs, trace })) };
    } catch (error) {
      if (!(error instanceof HolderClosed)) throw error;
      throw new ServiceError(
        'HOLDER_CLOSED',
        'This executor counts as lost: its runs wait for another executor, and it must register again.',
      );
    }
  }

  async report({ holder, endings }: Report): Promise<void> {
    await this.#feedOf(holder).report(endings);
  }

  async beat({ holder, held }: Beat): Promise<BeatAnswer> {
    const { progress, holders } = this.#parts;
    const ended = await holders.notHeld(holder, Object.keys(held));
    const gone = new Set(ended);
    for (const [runId, share] of Object.entries(held)) if (!gone.has(runId)) progress.note(runId, share);
    return { ended };
  }

  /** @throws ServiceError UNKNOWN_VERSION */
  version(id: string): FetchedVersion {
    const { experimentTemplate, manifest, retired, leak } = this.#parts.registry.version(id);
    return { template: experimentTemplate, manifest, retired: retired ?? null, isLeaky: leak !== null };
  }

  /**
   * The problem if no executor takes runs of a version; undefined if an executor takes them. `able` lists the executors
   * that have no problem of their own.
   */
  unserved(versionId: string, able: readonly ListedExecutor[]): Problem | undefined {
    const { registry } = this.#parts;
    const version = registry.version(versionId);
    const reasons = able.map(({ has }) => whyUnfit(version, has));
    if (reasons.includes(undefined)) return undefined;
    const reason = reasons[0] ?? 'no connected executor takes runs; "foray executors" shows the reasons';
    return {
      code: 'RUNS_UNSERVED',
      subject: versionId,
      message: `${registry.publicName(versionId)} has no executor: its runs wait.`,
      detail: `Runs of the model "${registry.model(version.modelId).name}" wait: ${reason}.`,
    };
  }

  #feedOf(holder: string): Feed {
    const { holders, progress } = this.#parts;
    return new QueueFeed({ holders, progress, holder });
  }

  /** Ids of versions that an executor with these labels cannot run. */
  #unfitFor(has: readonly string[]): string[] {
    return this.#parts.registry
      .versions()
      .filter((version) => whyUnfit(version, has) !== undefined)
      .map(({ id }) => id);
  }
}

/** Why an executor with these labels cannot run a version; undefined if it can. */
function whyUnfit({ manifest }: ServedVersion, has: readonly string[]): string | undefined {
  if (!manifest) return 'its files are not kept, so only the service itself could run it';
  const missing = (manifest.declaration.needs ?? []).filter((label) => !has.includes(label));
  return (
    whyNotRunnable(manifest) ?? (missing.length > 0 ? `no executor has ${missing.join(', ')}` : undefined)
  );
}
