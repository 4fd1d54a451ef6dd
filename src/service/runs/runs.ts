import { randomUUID } from 'node:crypto';
import type { RunRequest } from '../../api/resources.ts';
import { ServiceError } from '../errors.ts';
import type { ContentFiles } from '../files/content.ts';
import type { ModelRegistry, ServedVersion } from '../models/registry.ts';
import type { Dispatcher } from './dispatcher.ts';
import { type CanonicalInputs, canonicalInputs, identityOf } from './identity.ts';
import type { OutputTexts, RunRepository, StoredRun } from './repository.ts';
import { isLive, isUnfinished } from './states.ts';

interface Identified {
  version: ServedVersion;
  inputs: CanonicalInputs;
  identity: string;
}

/** What can be done with runs. Every method throws ServiceErrors as they are to be answered. */
export class Runs {
  readonly #repository: RunRepository;
  readonly #registry: ModelRegistry;
  readonly #dispatcher: Dispatcher;
  readonly #files: ContentFiles;

  constructor(
    repository: RunRepository,
    registry: ModelRegistry,
    dispatcher: Dispatcher,
    files: ContentFiles,
  ) {
    this.#repository = repository;
    this.#registry = registry;
    this.#dispatcher = dispatcher;
    this.#files = files;
  }

  /** The run of a request; started if there is none, or only one that FAILED or was STOPPED. */
  request(versionId: string, request: RunRequest): StoredRun {
    const { version, inputs, identity } = this.#identify(versionId, request);
    const newest = this.#repository.newest(identity);
    if (newest && isLive(newest.status)) return newest;
    this.#checkExecutable(version, inputs);
    const run = this.#repository.insert({
      versionId,
      experimentType: request.experimentType,
      identity,
      inputs,
    });
    this.#dispatcher.wake();
    return run;
  }

  /**
   * A run of its own for an animation, RUNNING at once. Each is a session that somebody looks at and steers, so its
   * identity is its own: no other request is answered with it.
   *
   * @throws ServiceError UNSUPPORTED_EXPERIMENT when the request is for several runs
   */
  startAnimated(versionId: string, { experimentType, inputs: requested }: RunRequest): StoredRun {
    if (experimentType !== 'ANIMATION_SVG' && experimentType !== 'SIMULATION') {
      throw new ServiceError(
        'UNSUPPORTED_EXPERIMENT',
        `An animated run is one run: ask for it as ANIMATION_SVG or SIMULATION, not as ${experimentType}.`,
      );
    }
    const version = this.#registry.version(versionId);
    const inputs = canonicalInputs(version.experimentTemplate.inputs, requested);
    this.#checkExecutable(version, inputs);
    const identity = randomUUID();
    return this.#repository.insertRunning({ versionId, experimentType: 'ANIMATION_SVG', identity, inputs });
  }

  /** The run of a request, if it was ever requested. */
  find(versionId: string, request: RunRequest): StoredRun {
    const run = this.#repository.newest(this.#identify(versionId, request).identity);
    if (!run) throw new ServiceError('UNKNOWN_RUN', 'A run with these inputs was never requested.');
    return run;
  }

  /** Stops the run of a request, for everyone who shares it. One that has ended stays as it is. */
  stop(versionId: string, request: RunRequest): void {
    const run = this.find(versionId, request);
    if (isUnfinished(run.status)) {
      this.#dispatcher.stop(run.id);
      this.#dispatcher.wake();
    }
  }

  byId(versionId: string, runId: string): StoredRun {
    const run = this.#repository.byId(runId);
    if (run?.versionId !== versionId) {
      throw new ServiceError('UNKNOWN_RUN', `The version has no run with the id ${runId}.`);
    }
    return run;
  }

  /** JSON text of each output's value of a completed run. */
  outputs(run: StoredRun): OutputTexts {
    const outputs = this.#repository.outputs(run);
    if (!outputs) {
      throw new ServiceError('RESULTS_NOT_FOUND', `Run ${run.id} is ${run.status}: it has no results.`);
    }
    return outputs;
  }

  /** As {@link outputs}, of the completed run that the inputs name. */
  outputsOf(versionId: string, request: RunRequest): OutputTexts {
    const run = this.#repository.newest(this.#identify(versionId, request).identity);
    if (!run) throw new ServiceError('RESULTS_NOT_FOUND', 'There is no run with these inputs.');
    return this.outputs(run);
  }

  /** Share done of a run, 0 to 1. */
  progressOf(run: StoredRun): number {
    return run.status === 'COMPLETED' ? 1 : this.#dispatcher.progressOf(run.id);
  }

  #identify(versionId: string, { experimentType, inputs: requested }: RunRequest): Identified {
    const version = this.#registry.version(versionId);
    if (experimentType !== 'SIMULATION') {
      throw new ServiceError(
        'UNSUPPORTED_EXPERIMENT',
        `Experiments of type ${experimentType} are not served, only SIMULATION.`,
      );
    }
    const inputs = canonicalInputs(version.experimentTemplate.inputs, requested);
    return { version, inputs, identity: identityOf(versionId, experimentType, inputs) };
  }

  /** @throws ServiceError VERSION_RETIRED, INVALID_VALUE */
  #checkExecutable({ version, code, experimentTemplate }: ServedVersion, inputs: CanonicalInputs): void {
    if (!code) {
      throw new ServiceError(
        'VERSION_RETIRED',
        `Version ${version} has results, but its code is gone: ask for a newer version of the model.`,
      );
    }
    for (const { name, type } of experimentTemplate.inputs) {
      const value = inputs[name]!;
      if (type === 'INPUT_FILE' && value !== '' && !this.#files.has(value)) {
        throw new ServiceError(
          'INVALID_VALUE',
          `The value of "${name}" is "${value}", but no file of that hash is stored.`,
        );
      }
    }
  }
}
