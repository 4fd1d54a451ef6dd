import { setImmediate as turn } from 'node:timers/promises';
import type { PruneRequest, Pruned, VersionSummary } from '../../api/extensions.ts';
import type { Model } from '../../api/resources.ts';
import { sizeOf } from '../models/manifest.ts';
import type { ModelRegistry, ServedVersion } from '../models/registry.ts';
import type { RunRepository } from './repository.ts';

/**
 * The number of runs that are counted at once. This takes some milliseconds. The service answers other requests in
 * between.
 */
const SLICE = 10_000;

/** The versions of models, with the numbers of their runs. */
export class VersionHistory {
  readonly #runs: RunRepository;
  readonly #registry: ModelRegistry;

  constructor(runs: RunRepository, registry: ModelRegistry) {
    this.#runs = runs;
    this.#registry = registry;
  }

  /** The versions of a model, the oldest one first. */
  async list(model: Model): Promise<VersionSummary[]> {
    const runs = await this.#runs.countByVersion(SLICE, turn);
    return this.#versionsOf(model).map((version) => {
      const { id, version: number, madeAt, code, manifest, retired } = version;
      return {
        id,
        version: number,
        madeAt,
        state: code ? 'current' : retired === undefined ? 'kept' : 'retired',
        reason: retired ?? null,
        size: manifest && sizeOf(manifest),
        runs: runs.get(id) ?? 0,
      };
    });
  }

  /**
   * Removes the kept files of a model's old versions: of those before the last `keep`, or of those that were made
   * before the time `before`. The current version, the newest one and versions with unfinished runs keep their files.
   */
  async prune(model: Model, { keep, before }: PruneRequest): Promise<Pruned> {
    const versions = this.#versionsOf(model);
    const old =
      keep === undefined
        ? versions.filter(({ madeAt }) => madeAt === null || Date.parse(madeAt) < Date.parse(before!))
        : versions.slice(0, -keep);
    const asked = old.filter((version) => !version.code && version.manifest && version !== versions.at(-1));
    const unfinished = await this.#runs.unfinishedVersions();
    const busy = asked.filter(({ id }) => unfinished.has(id));
    const pruned = asked.filter(({ id }) => !unfinished.has(id));
    const bytes = await this.#registry.prune(pruned);
    return { pruned: pruned.map(({ version }) => version), busy: busy.map(({ version }) => version), bytes };
  }

  #versionsOf({ modelVersions }: Model): ServedVersion[] {
    return modelVersions.map((id) => this.#registry.version(id));
  }
}
