import { randomUUID } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import type { RunLog } from '../../api/extensions.ts';
import type { Outputs, OutputsTemplate, RunMessage, RunRequest } from '../../api/resources.ts';
import { ServiceError } from '../errors.ts';
import type { ContentFiles } from '../files/content.ts';
import { checkAllowed } from '../models/allowed.ts';
import type { ModelRegistry, ServedVersion } from '../models/registry.ts';
import { checkValue } from './checked.ts';
import type { Dispatcher } from './dispatcher.ts';
import { subRunsOf } from './experiments.ts';
import { type CanonicalInputs, identityOf, type Settings } from './identity.ts';
import { multipleOutputs, singleOutputs } from './outputs.ts';
import type { KeptRuns } from './kept-runs.ts';
import type { RunRepository } from './repository.ts';
import type { NewRun, StoredRun } from './stored-run.ts';
import { multipleMessage, taskMessage } from './resource.ts';
import { readSettings } from './settings.ts';
import { isLive, isUnfinished } from './states.ts';

/** Up to how many sub-runs are listed in a message; of more there are the counts. */
const MOST_LISTED = 1_000;
/** How many runs of an experiment are added at once, some milliseconds' work: between two of these others are answered. */
const SLICE = 100;

/** What can be done with runs. Every method throws ServiceErrors as they are to be answered. */
export class Runs {
  readonly #repository: RunRepository;
  readonly #registry: ModelRegistry;
  readonly #dispatcher: Dispatcher;
  readonly #files: ContentFiles;
  readonly #kept: KeptRuns | undefined;
  /** The experiments that are being added, by identity. */
  readonly #adding = new Map<string, Promise<StoredRun>>();

  constructor(
    repository: RunRepository,
    registry: ModelRegistry,
    dispatcher: Dispatcher,
    files: ContentFiles,
    kept?: KeptRuns,
  ) {
    this.#repository = repository;
    this.#registry = registry;
    this.#dispatcher = dispatcher;
    this.#files = files;
    this.#kept = kept;
  }

  /** The run of a request; started if there is none, or only one that FAILED or was STOPPED. An experiment is added bit by bit. */
  request(versionId: string, request: RunRequest): StoredRun | Promise<StoredRun> {
    const version = this.#registry.version(versionId);
    const wanted = wantedBy(version, request);
    const newest = this.#repository.newest(wanted.identity);
    if (newest && isLive(newest.status)) {
      if (isUnfinished(newest.status)) this.#repository.want(newest);
      return newest;
    }
    this.#checkExecutable(version, wanted.settings.inputs);
    if (wanted.settings.experimentType !== 'SIMULATION') return this.#addOnce(version, wanted);
    checkInputs(version, wanted.settings.inputs);
    const run = this.#repository.insert(wanted);
    this.#dispatcher.wake();
    return run;
  }

  /**
   * A run of its own for an animation, RUNNING at once. Each is a session that somebody looks at and steers, so its
   * identity is its own: no other request is answered with it.
   *
   * @throws ServiceError UNSUPPORTED_EXPERIMENT when the request is for several runs
   */
  startAnimated(versionId: string, { experimentType, inputs }: RunRequest): StoredRun {
    if (experimentType !== 'ANIMATION_SVG' && experimentType !== 'SIMULATION') {
      throw new ServiceError(
        'UNSUPPORTED_EXPERIMENT',
        `An animated run is one run: ask for it as ANIMATION_SVG or SIMULATION, not as ${experimentType}.`,
      );
    }
    const version = this.#registry.version(versionId);
    const single = readSettings(version.experimentTemplate.inputs, { experimentType: 'SIMULATION', inputs });
    this.#checkExecutable(version, single.inputs);
    checkInputs(version, single.inputs);
    const settings: Settings = { ...single, experimentType: 'ANIMATION_SVG' };
    return this.#repository.insertRunning({ versionId, identity: randomUUID(), settings });
  }

  /** The run of a request, if it was ever requested. One that would be refused is: who asks before starting learns of it. */
  find(versionId: string, request: RunRequest): StoredRun {
    const version = this.#registry.version(versionId);
    const { identity, settings } = wantedBy(version, request);
    const run = this.#repository.newest(identity);
    if (run) return run;
    if (settings.experimentType === 'SIMULATION') checkInputs(version, settings.inputs);
    throw new ServiceError('UNKNOWN_RUN', 'A run with these inputs was never requested.');
  }

  /** Stops the run of a request, for everyone who shares it. One that has ended stays as it is. */
  async stop(versionId: string, request: RunRequest): Promise<void> {
    // one that is being added cannot be stopped yet, and would begin after this answer
    await this.#adding.get(wantedBy(this.#registry.version(versionId), request).identity);
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

  /** The outputs of a completed run, shaped by the template. */
  outputs(run: StoredRun, template: OutputsTemplate): Outputs {
    if (run.status !== 'COMPLETED') {
      throw new ServiceError('RESULTS_NOT_FOUND', `Run ${run.id} is ${run.status}: it has no results.`);
    }
    const version = this.#registry.version(run.versionId).experimentTemplate;
    return run.tasks === null
      ? singleOutputs(version, template, this.#repository.outputs(run)!)
      : multipleOutputs(version, template, run, () => this.#repository.outputsOfSubRuns(run));
  }

  /** As {@link outputs}, of the completed run that the inputs name. */
  outputsOf(versionId: string, request: RunRequest, template: OutputsTemplate): Outputs {
    const run = this.#newest(versionId, request);
    if (!run) throw new ServiceError('RESULTS_NOT_FOUND', 'There is no run with these inputs.');
    return this.outputs(run, template);
  }

  /** What a run printed, if it FAILED, and how to repeat it, if its folder is kept. */
  logOf(run: StoredRun): RunLog {
    const { lines, omitted } = this.#repository.log(run) ?? { lines: [], omitted: 0 };
    const command = this.#kept?.commandOf(run.id);
    return { lines, omitted, ...(command !== undefined && { command }) };
  }

  /** Specification 2.8: what the message of a run says. */
  messageOf(run: StoredRun): RunMessage {
    const progressOf = (id: string) => this.#dispatcher.progressOf(id);
    if (run.tasks === null) return taskMessage(run, progressOf(run.id));
    const executing = isUnfinished(run.status) ? this.#repository.runningSubRuns(run) : [];
    const subRuns = run.tasks <= MOST_LISTED ? this.#repository.subRuns(run) : [];
    return multipleMessage(
      run,
      executing.reduce((sum, id) => sum + progressOf(id), 0),
      subRuns.map((subRun) => taskMessage(subRun, progressOf(subRun.id))),
    );
  }

  /** Identical requests that come while an experiment is being added are answered with it. */
  #addOnce(version: ServedVersion, wanted: NewRun): Promise<StoredRun> {
    const { identity } = wanted;
    let adding = this.#adding.get(identity);
    if (!adding) {
      adding = this.#addExperiment(version, wanted).finally(() => this.#adding.delete(identity));
      this.#adding.set(identity, adding);
    }
    return adding;
  }

  /** Adds an experiment in slices. All of it is checked before, and it is there only when it is whole. */
  async #addExperiment(version: ServedVersion, wanted: NewRun): Promise<StoredRun> {
    const subRuns: NewRun[] = [];
    for (const inputs of subRunsOf(version.experimentTemplate.inputs, wanted.settings)) {
      checkInputs(version, inputs);
      subRuns.push(identified(version.id, { experimentType: 'SIMULATION', inputs, types: {} }));
      if (subRuns.length % SLICE === 0) await turn();
    }
    const parts: number[] = [];
    try {
      while (parts.length < subRuns.length) {
        parts.push(...this.#repository.insertParts(subRuns.slice(parts.length, parts.length + SLICE)));
        await turn();
      }
      const run = this.#repository.insertMultiple(wanted, subRuns, parts);
      this.#dispatcher.wake();
      return run;
    } catch (error) {
      this.#repository.dropParts(parts);
      throw error;
    }
  }

  #newest(versionId: string, request: RunRequest): StoredRun | undefined {
    return this.#repository.newest(wantedBy(this.#registry.version(versionId), request).identity);
  }

  /** @throws ServiceError VERSION_RETIRED, INVALID_VALUE */
  #checkExecutable({ version, code, experimentTemplate }: ServedVersion, inputs: CanonicalInputs): void {
    if (!code) {
      throw new ServiceError(
        'VERSION_RETIRED',
        `Version ${version} has results, but takes no runs: the model's files have changed, or are no valid model now. Ask for its newest version, or see what the service says.`,
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

/** The run that a request asks for. */
function wantedBy({ id, experimentTemplate }: ServedVersion, request: RunRequest): NewRun {
  if (request.experimentType === 'ANIMATION_SVG') {
    throw new ServiceError(
      'UNSUPPORTED_EXPERIMENT',
      'Experiments of type ANIMATION_SVG are not served here, only SIMULATION, PARAMETER_VARIATION and MONTE_CARLO.',
    );
  }
  return identified(id, readSettings(experimentTemplate.inputs, request));
}

/** @throws ServiceError INVALID_VALUE naming an input of a single run whose value the model does not allow */
function checkInputs({ inputs: declared }: ServedVersion, inputs: CanonicalInputs): void {
  for (const input of declared) checkValue(input.name, () => checkAllowed(input, inputs[input.name]!));
}

function identified(versionId: string, settings: Settings): NewRun {
  return { versionId, identity: identityOf(versionId, settings), settings };
}
