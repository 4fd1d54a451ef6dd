import { OutputsTemplate } from '../../../api/resources.ts';
import type { ModelRegistry } from '../../models/registry.ts';
import type { StoredRun } from '../../runs/stored-run.ts';
import { runResource } from '../../runs/resource.ts';
import type { Runs } from '../../runs/runs.ts';
import { readJson } from '../body.ts';
import type { Handlers } from '../call.ts';

/** Run requests, statuses and results. */
export function runHandlers(
  registry: ModelRegistry,
  runs: Runs,
): Handlers<
  'requestRun' | 'findRun' | 'stopRun' | 'getProgress' | 'getRunResults' | 'getResults' | 'getRunLog'
> {
  const resource = (run: StoredRun) => runResource(run, registry.version(run.versionId), runs.messageOf(run));

  return {
    requestRun({ params, body }) {
      const run = runs.request(params.versionId, body);
      return run instanceof Promise ? run.then(resource) : resource(run);
    },

    findRun: ({ params, body }) => resource(runs.find(params.versionId, body)),

    async stopRun({ params, body }) {
      await runs.stop(params.versionId, body);
      return null;
    },

    getProgress({ params }) {
      const run = runs.byId(params.versionId, params.runId);
      return { status: run.status, message: JSON.stringify(runs.messageOf(run)) };
    },

    getRunLog: ({ params }) => runs.logOf(runs.byId(params.versionId, params.runId)),

    getRunResults: ({ params, body }) => runs.outputs(runs.byId(params.versionId, params.runId), body),

    getResults({ params, body }) {
      const template = readJson(OutputsTemplate, body.outputs, 'text in outputs');
      return runs.outputsOf(params.versionId, body, template);
    },
  };
}
