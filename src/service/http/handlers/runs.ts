import { OutputsTemplate } from '../../../api/resources.ts';
import type { ModelRegistry } from '../../models/registry.ts';
import type { StoredRun } from '../../runs/stored-run.ts';
import { runResource } from '../../runs/resource.ts';
import type { Runs } from '../../runs/runs.ts';
import { reader } from '../body.ts';
import type { Handlers } from '../call.ts';

export function runHandlers(
  registry: ModelRegistry,
  runs: Runs,
): Handlers<
  'requestRun' | 'findRun' | 'stopRun' | 'getProgress' | 'getRunResults' | 'getResults' | 'getRunLog'
> {
  const resource = async (run: StoredRun) =>
    runResource(run, registry.version(run.versionId), await runs.messageOf(run));

  return {
    requestRun: async ({ params, body }) => resource(await runs.request(params.versionId, body)),

    findRun: async ({ params, body }) => resource(await runs.find(params.versionId, body)),

    async stopRun({ params, body }) {
      await runs.stop(params.versionId, body);
      return null;
    },

    async getProgress({ params }) {
      const run = await runs.byId(params.versionId, params.runId);
      return { status: run.status, message: JSON.stringify(await runs.messageOf(run)) };
    },

    getRunLog: async ({ params }) => runs.logOf(await runs.byId(params.versionId, params.runId)),

    getRunResults: async ({ params, body }) =>
      runs.outputs(await runs.byId(params.versionId, params.runId), body),

    getResults({ params, body }) {
      // this field of the body is a text that has JSON
      const template = reader.json(OutputsTemplate, body.outputs, 'text in outputs');
      return runs.outputsOfInputs(params.versionId, body, template);
    },
  };
}
