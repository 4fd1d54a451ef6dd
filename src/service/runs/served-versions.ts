import type { RunFiles } from '../files/run-files.ts';
import type { ModelRegistry } from '../models/registry.ts';
import type { JobVersion } from '../executors/protocol.ts';
import { type Materials, type Prepared, VersionUnusable } from './dispatcher.ts';
import type { ClaimedRun } from './feed.ts';
import type { OutputTexts } from './stored-run.ts';

/** Prepares runs for the service's own executors. */
export class ServedVersions implements Materials {
  readonly #registry: ModelRegistry;
  readonly #files: RunFiles | undefined;

  /**
   * @param files - copies the files of runs; undefined if executors read and write them where the service keeps them
   */
  constructor(registry: ModelRegistry, files: RunFiles | undefined) {
    this.#registry = registry;
    this.#files = files;
  }

  async jobOf(run: ClaimedRun): Promise<Prepared> {
    // another service of the database may have added the version
    if (!this.#registry.has(run.versionId)) await this.#registry.notice();
    const job = await this.#job(run.versionId);
    await this.#files?.fetchInputs(job.template, run.inputs);
    return job;
  }

  async keepOutputs({ template }: JobVersion, outputs: OutputTexts): Promise<void> {
    await this.#files?.keepOutputs(template, outputs);
  }

  release({ template }: JobVersion, { inputs }: ClaimedRun): void {
    this.#files?.releaseInputs(template, inputs);
  }

  unwanted(): readonly string[] {
    return this.#registry.unreadableVersions();
  }

  async #job(versionId: string): Promise<Prepared> {
    const version = this.#registry.version(versionId);
    const code = await this.#registry.codeOf(version);
    if (code) return { code, template: version.experimentTemplate, isAlone: version.leak !== null };
    throw new VersionUnusable(
      `version ${version.version} of the model takes no runs any more: ${version.retired}`,
    );
  }
}
