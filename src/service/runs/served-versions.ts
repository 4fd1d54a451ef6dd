import type { ModelRegistry } from '../models/registry.ts';
import { type Materials, type VersionJob, VersionUnusable } from './dispatcher.ts';
import type { ClaimedRun } from './feed.ts';

/** The versions of the service, for its own executors. */
export class ServedVersions implements Materials {
  readonly #registry: ModelRegistry;

  constructor(registry: ModelRegistry) {
    this.#registry = registry;
  }

  jobOf({ versionId }: ClaimedRun): VersionJob | Promise<VersionJob> {
    // another service of the database may have added it
    return this.#registry.has(versionId)
      ? this.#job(versionId)
      : this.#registry.notice().then(() => this.#job(versionId));
  }

  #job(versionId: string): VersionJob {
    const version = this.#registry.version(versionId);
    const code = this.#registry.codeOf(version);
    if (code) return { code, template: version.experimentTemplate };
    throw new VersionUnusable(
      `version ${version.version} of the model takes no runs any more: ${version.retired}`,
    );
  }

  unwanted(): readonly string[] {
    return this.#registry.unreadableVersions();
  }
}
