import { randomUUID } from 'node:crypto';
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
import type { NewRun, RunRepository, StoredRun } from './repository.ts';
import { multipleMessage, taskMessage } from './resource.ts';
import { readSettings } from './settings.ts';
import { isLive, isUnfinished } from './states.ts';

/** Up to how many sub-runs are listed in a message; of more there are the counts. */
const MOST_LISTED = 1_000;

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
    const version = this.#registry.version(versionId);
    const wanted = wantedBy(version, request);
    const newest = this.#repository.newest(wanted.identity);
    if (newest && isLive(newest.status)) {
      if (isUnfinished(newest.status)) this.#repository.want(newest);
      return newest;
    }
    this.#checkExecutable(version, wanted.settings.inputs);
    const run = this.#insert(version, wanted);
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

  #insert(version: ServedVersion, wanted: NewRun): StoredRun {
    if (wanted.settings.experimentType === 'SIMULATION') {
      checkInputs(version, wanted.settings.inputs);
      return this.#repository.insert(wanted);
    }
    const subRuns = subRunsOf(version.experimentTemplate.inputs, wanted.settings).map((inputs) => {
      checkInputs(version, inputs);
      return identified(version.id, { experimentType: 'SIMULATION', inputs, types: {} });
    });
    return this.#repository.insertMultiple(wanted, subRuns);
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
