import type { Model, Outputs, Run, RunRequest, RunState, Version } from '../../../src/api/index.ts';
import { inputsOf, model, outputsOf, runIdOf, version } from './model.ts';
import type { StubRuns } from './runs.ts';

export interface Answer {
  status: number;
  /** The body; undefined for an empty answer. */
  body?: Model | Model[] | Version | Run | RunState | Outputs | boolean | null | [] | { message: string };
}

/**
 * The answer of the stub, and the name of the endpoint. The stub has only the part of the interface that a campaign
 * needs.
 */
export function answerTo(
  path: string,
  body: RunRequest,
  runs: StubRuns,
  now: number,
): Answer & { endpoint: string } {
  const [room, , what = '', ...more] = path.slice(1).split('/') as [string, ...string[]];
  if (room === 'versions') return ofVersion(what, more, body, runs, now);
  if (path === '/models/name/') return { endpoint: 'getModelByName', status: 200, body: model };
  if (path === '/models') return { endpoint: 'listModels', status: 200, body: [model] };
  if (what === 'versions') return { endpoint: 'getVersion', status: 200, body: version };
  if (path.startsWith('/check-file')) return { endpoint: 'checkFile', status: 200, body: true };
  return { endpoint: 'unknown', ...missing(`The stub has no ${path}`) };
}

/** The endpoints under `/versions/<id>/`. */
function ofVersion(
  what: string,
  [first = '', second]: string[],
  body: RunRequest,
  runs: StubRuns,
  now: number,
): Answer & { endpoint: string } {
  switch (what) {
    case 'experiments':
      return { endpoint: 'listExperiments', status: 200, body: [] };
    case 'runs':
      if (second === 'progress') return { endpoint: 'getProgress', ...progress(first, runs, now) };
      if (first === 'stop') {
        runs.stop(runIdOf(body), now);
        return { endpoint: 'stopRun', status: 200, body: null };
      }
      if (first === '') return { endpoint: 'requestRun', ...requested(runIdOf(body), runs, now) };
      return { endpoint: 'unknown', ...missing('The stub has no older paths') };
    case 'run':
      return { endpoint: 'findRun', ...found(runIdOf(body), runs, now) };
    case 'results':
      return first === ''
        ? { endpoint: 'getResults', ...results(runIdOf(body), runs, now) }
        : { endpoint: 'getRunResults', ...results(decodeURIComponent(first), runs, now) };
    default:
      return { endpoint: 'unknown', ...missing(`The stub has no versions/…/${what}`) };
  }
}

function requested(id: string, runs: StubRuns, now: number): Answer {
  return { status: 200, body: { ...runOf(id), status: runs.request(id, now) } };
}

function found(id: string, runs: StubRuns, now: number): Answer {
  const status = runs.stateOf(id, now);
  return status ? { status: 200, body: { ...runOf(id), status } } : missing('No such run');
}

function progress(id: string, runs: StubRuns, now: number): Answer {
  const status = runs.stateOf(id, now);
  return status ? { status: 200, body: { status, message: '' } } : missing('No such run');
}

function results(id: string, runs: StubRuns, now: number): Answer {
  const isThere = runs.stateOf(id, now) === 'COMPLETED';
  return isThere ? { status: 200, body: outputsOf(id) } : missing('No completed run');
}

function runOf(id: string): Omit<Run, 'status'> {
  return { id, inputs: inputsOf(id), modelVersionId: version.id, message: '', outputs: null };
}

function missing(message: string): Answer {
  return { status: 404, body: { message } };
}
