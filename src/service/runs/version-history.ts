import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import type { PruneRequest, Pruned, VersionSummary } from '../../api/extensions.ts';
import type { Model } from '../../api/resources.ts';
import { sizeOf } from '../models/manifest.ts';
import type { ModelRegistry, ServedVersion } from '../models/registry.ts';

/**
 * The number of runs that are counted at once. That takes some milliseconds; other requests are answered in between.
 */
const SLICE = 10_000;

/** The versions of models: their kept files, and the removal of these. */
export class VersionHistory {
  readonly #db: DatabaseSync;
  readonly #registry: ModelRegistry;

  constructor(db: DatabaseSync, registry: ModelRegistry) {
    this.#db = db;
    this.#registry = registry;
  }

  /** The versions of a model, the first one first. */
  async list(model: Model): Promise<VersionSummary[]> {
    const runs = await this.#countRuns();
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

  /** Removes the kept files of a model's old versions, except versions with unfinished runs. */
  prune(model: Model, { keep, before }: PruneRequest): Pruned {
    const versions = this.#versionsOf(model);
    const asked = (
      keep === undefined
        ? versions.filter(({ madeAt }) => madeAt === null || Date.parse(madeAt) < Date.parse(before!))
        : versions.slice(0, -keep)
    ).filter(({ code, manifest }) => !code && manifest);
    const unfinished = this.#unfinished();
    const [busy, pruned] = [true, false].map((isBusy) =>
      asked.filter(({ id }) => unfinished.has(id) === isBusy),
    ) as [ServedVersion[], ServedVersion[]];
    const bytes = this.#registry.prune(pruned);
    return { pruned: pruned.map(({ version }) => version), busy: busy.map(({ version }) => version), bytes };
  }

  #versionsOf({ modelVersions }: Model): ServedVersion[] {
    return modelVersions.map((id) => this.#registry.version(id));
  }

  /** Ids of the versions with unfinished runs. */
  #unfinished(): ReadonlySet<string> {
    const rows = this.#db
      .prepare(
        `SELECT version_id FROM runs WHERE status = 'FRESH' AND tasks IS NULL
         UNION SELECT version_id FROM runs WHERE status = 'RUNNING' AND tasks IS NULL`,
      )
      .all();
    return new Set(rows.map(({ version_id }) => version_id as string));
  }

  /** The number of runs of each version, by its id. */
  async #countRuns(): Promise<ReadonlyMap<string, number>> {
    const counts = new Map<string, number>();
    const { last } = this.#db.prepare('SELECT coalesce(max(seq), 0) AS last FROM runs').get() as {
      last: number;
    };
    const slice = this.#db.prepare(
      'SELECT version_id, count(*) AS runs FROM runs WHERE seq > ? AND seq <= ? GROUP BY version_id',
    );
    for (let from = 0; from < last; from += SLICE) {
      for (const { version_id, runs } of slice.all(from, from + SLICE)) {
        counts.set(version_id as string, (counts.get(version_id as string) ?? 0) + Number(runs));
      }
      await turn();
    }
    return counts;
  }
}
