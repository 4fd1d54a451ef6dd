import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { RunLog } from '../../api/extensions.ts';
import { RANDOM_SEED } from '../../api/constants.ts';
import type { Outputs, OutputsTemplate, RunMessage, RunRequest } from '../../api/resources.ts';
import { ServiceError } from '../errors.ts';
import type { ContentStore } from '../files/content-store.ts';
import { checkAllowed } from '../models/allowed-values.ts';
import type { ModelRegistry, ServedVersion } from '../models/registry.ts';
import { checkValue } from './checked.ts';
import { subRunsOf } from './experiments.ts';
import { type CanonicalInputs, identityOf, type Settings } from './identity.ts';
import { multipleOutputs, singleOutputs } from './outputs.ts';
import type { KeptRuns } from './kept-runs.ts';
import type { Progress } from './progress.ts';
import type { RunRepository } from './repository.ts';
import type { NewRun, StoredRun } from './stored-run.ts';
import { multipleMessage, taskMessage } from './resource.ts';
import { readSettings } from './parse-run-request.ts';
import { isLive, isUnfinished } from './states.ts';

/** The largest number of sub-runs that a message lists. If there are more, the message has only counts. */
const MOST_LISTED = 1_000;
/**
 * The number of an experiment's runs that are added at once. This takes some milliseconds. The service answers other
 * requests in between.
 */
const SLICE = 100;

export interface RunsParts {
  repository: RunRepository;
  registry: ModelRegistry;
  files: Pick<ContentStore, 'has'>;
  progress: Progress;
  /** The holder of animated runs. */
  holder: () => string;
  kept: KeptRuns | undefined;
  /** Called when the queue has changed: runs were added or stopped. */
  onQueued: () => void;
}

/** The operations on runs. The methods throw ServiceErrors for clients. */
export class Runs {
  readonly #parts: RunsParts;
  readonly #repository: RunRepository;
  readonly #registry: ModelRegistry;
  /** The experiments that are being added, by identity. */
  readonly #adding = new Map<string, Promise<StoredRun>>();

  constructor(parts: RunsParts) {
    this.#parts = parts;
    this.#repository = parts.repository;
    this.#registry = parts.registry;
  }

  /**
   * Returns the run of a request. If there is no such run, or it is FAILED or STOPPED, this starts a new run. An
   * experiment is added in slices.
   */
  async request(versionId: string, request: RunRequest): Promise<StoredRun> {
    const version = this.#registry.version(versionId);
    const wanted = wantedBy(version, request);
    const newest = await this.#repository.newest(wanted.identity);
    if (newest && isLive(newest.status) && (await this.#noteDirect(newest))) return newest;
    await this.#checkExecutable(version, wanted.settings.inputs);
    if (wanted.settings.experimentType !== 'SIMULATION') return this.#addOnce(version, wanted);
    checkInputs(version, wanted.settings.inputs);
    const run = await this.#repository.insert(wanted);
    this.#parts.onQueued();
    return run;
  }

  /**
   * Adds a run for an animation. The run is RUNNING immediately. A person watches and steers it. So it has a unique
   * identity, and is never the answer to another request.
   *
   * @throws ServiceError UNSUPPORTED_EXPERIMENT if the request is for several runs
   */
  async startAnimated(versionId: string, { experimentType, inputs }: RunRequest): Promise<StoredRun> {
    if (experimentType !== 'ANIMATION_SVG' && experimentType !== 'SIMULATION') {
      throw new ServiceError(
        'UNSUPPORTED_EXPERIMENT',
        `An animated run is one run: ask for it as ANIMATION_SVG or SIMULATION, not as ${experimentType}.`,
      );
    }
    const version = this.#registry.version(versionId);
    const single = readSettings(version.experimentTemplate.inputs, { experimentType: 'SIMULATION', inputs });
    await this.#checkExecutable(version, single.inputs);
    checkInputs(version, single.inputs);
    const settings: Settings = { ...single, experimentType: 'ANIMATION_SVG' };
    return this.#repository.insertRunning(this.#parts.holder(), {
      versionId,
      identity: randomUUID(),
      settings,
    });
  }

  /**
   * The run of a request, if it was requested before. Most invalid requests are refused here as well, so that a client
   * gets the error before it starts a run.
   *
   * @throws ServiceError UNKNOWN_RUN, and the errors of an invalid request
   */
  async find(versionId: string, request: RunRequest): Promise<StoredRun> {
    const version = this.#registry.version(versionId);
    const { identity, settings } = wantedBy(version, request);
    const run = await this.#repository.newest(identity);
    if (run) return run;
    if (settings.experimentType === 'SIMULATION') checkInputs(version, settings.inputs);
    throw new ServiceError('UNKNOWN_RUN', 'A run with these inputs was never requested.');
  }

  /** Stops the run of a request, for all clients that share it. An ended run does not change. */
  async stop(versionId: string, request: RunRequest): Promise<void> {
    // an experiment that is being added cannot be stopped yet, and would begin after this answer
    await this.#adding.get(wantedBy(this.#registry.version(versionId), request).identity);
    const run = await this.find(versionId, request);
    if (isUnfinished(run.status)) {
      await this.#repository.stop(run.id);
      this.#parts.onQueued();
    }
  }

  async byId(versionId: string, runId: string): Promise<StoredRun> {
    const run = await this.#repository.byId(runId);
    if (run?.versionId !== versionId) {
      throw new ServiceError('UNKNOWN_RUN', `The version has no run with the id ${runId}.`);
    }
    return run;
  }

  /** The outputs of a completed run, in the form of the template. */
  async outputs(run: StoredRun, template: OutputsTemplate): Promise<Outputs> {
    if (run.status !== 'COMPLETED') {
      throw new ServiceError('RESULTS_NOT_FOUND', `Run ${run.id} is ${run.status}: it has no results.`);
    }
    const version = this.#registry.version(run.versionId).experimentTemplate;
    return run.tasks === null
      ? singleOutputs(version, template, (await this.#repository.outputs(run))!)
      : multipleOutputs(version, template, run, this.#repository.outputsOfSubRuns(run));
  }

  /** Like {@link outputs}, for the completed run with the given inputs. */
  async outputsOfInputs(versionId: string, request: RunRequest, template: OutputsTemplate): Promise<Outputs> {
    const run = await this.#newest(versionId, request);
    if (!run) throw new ServiceError('RESULTS_NOT_FOUND', 'There is no run with these inputs.');
    return this.outputs(run, template);
  }

  /** The log of a FAILED run, and the command that repeats it, if its folder is kept. */
  async logOf(run: StoredRun): Promise<RunLog> {
    const { lines, omitted } = (await this.#repository.log(run)) ?? { lines: [], omitted: 0 };
    const command = this.#parts.kept?.commandOf(run.id);
    return { lines, omitted, ...(command !== undefined && { command }) };
  }

  /** The message of a run (API specification, 2.8). */
  async messageOf(run: StoredRun): Promise<RunMessage> {
    const { progress } = this.#parts;
    if (run.tasks === null) return taskMessage(run, progress.of(run.id));
    const executing = isUnfinished(run.status) ? await this.#repository.runningSubRuns(run) : [];
    const subRuns = run.tasks <= MOST_LISTED ? await this.#repository.subRuns(run) : [];
    return multipleMessage(
      run,
      executing.reduce((sum, id) => sum + progress.of(id), 0),
      subRuns.map((subRun) => taskMessage(subRun, progress.of(subRun.id))),
    );
  }

  /** While an experiment is being added, identical requests get the same answer. */
  #addOnce(version: ServedVersion, wanted: NewRun): Promise<StoredRun> {
    const { identity } = wanted;
    let adding = this.#adding.get(identity);
    if (!adding) {
      adding = this.#addExperiment(version, wanted).finally(() => this.#adding.delete(identity));
      this.#adding.set(identity, adding);
    }
    return adding;
  }

  /** Adds an experiment in slices. It is checked completely first, and becomes visible only when it is complete. */
  async #addExperiment(version: ServedVersion, wanted: NewRun): Promise<StoredRun> {
    const subRuns: NewRun[] = [];
    const seeds = version.inputs.find(({ name }) => name === RANDOM_SEED);
    for (const inputs of subRunsOf(version.experimentTemplate.inputs, wanted.settings, seeds)) {
      checkInputs(version, inputs);
      subRuns.push(withIdentity(version.id, { experimentType: 'SIMULATION', inputs, types: {} }));
      if (subRuns.length % SLICE === 0) await turn();
    }
    const parts: number[] = [];
    try {
      while (parts.length < subRuns.length) {
        parts.push(
          ...(await this.#repository.insertParts(subRuns.slice(parts.length, parts.length + SLICE))),
        );
        await turn();
      }
      const run = await this.#repository.insertMultiple(wanted, subRuns, parts);
      this.#parts.onQueued();
      return run;
    } catch (error) {
      await this.#repository.dropParts(parts);
      throw error;
    }
  }

  /** Makes sure that a run does not stop with its experiments. Returns false if it failed or was stopped meanwhile. */
  async #noteDirect(run: StoredRun): Promise<boolean> {
    return run.isDirect || run.status === 'COMPLETED' || this.#repository.noteDirect(run);
  }

  #newest(versionId: string, request: RunRequest): Promise<StoredRun | undefined> {
    return this.#repository.newest(wantedBy(this.#registry.version(versionId), request).identity);
  }

  /** @throws ServiceError VERSION_RETIRED, INVALID_VALUE */
  async #checkExecutable(
    { version, retired, experimentTemplate }: ServedVersion,
    inputs: CanonicalInputs,
  ): Promise<void> {
    if (retired !== undefined) {
      throw new ServiceError(
        'VERSION_RETIRED',
        `Version ${version} has results, but takes no runs: ${retired}. Ask for the model's newest version.`,
      );
    }
    for (const { name, type } of experimentTemplate.inputs) {
      const value = inputs[name]!;
      if (type === 'INPUT_FILE' && value !== '' && !(await this.#parts.files.has(value))) {
        throw new ServiceError(
          'INVALID_VALUE',
          `The value of "${name}" is "${value}", but no file of that hash is stored.`,
        );
      }
    }
  }
}

/** Reads the run of a request. */
function wantedBy({ id, experimentTemplate }: ServedVersion, request: RunRequest): NewRun {
  if (request.experimentType === 'ANIMATION_SVG') {
    throw new ServiceError(
      'UNSUPPORTED_EXPERIMENT',
      'Experiments of type ANIMATION_SVG are not served here, only SIMULATION, PARAMETER_VARIATION and MONTE_CARLO.',
    );
  }
  return withIdentity(id, readSettings(experimentTemplate.inputs, request));
}

/** @throws ServiceError INVALID_VALUE, with the input's name, if the model does not allow a value of a single run */
function checkInputs({ inputs: declared }: ServedVersion, inputs: CanonicalInputs): void {
  for (const input of declared) checkValue(input.name, () => checkAllowed(input, inputs[input.name]!));
}

function withIdentity(versionId: string, settings: Settings): NewRun {
  return { versionId, identity: identityOf(versionId, settings), settings };
}
