import type { CloudClient } from '../../../src/cloud/index.ts';
import { requestFor, version } from '../stub/model.ts';

export function createActivities(cloud: CloudClient) {
  return {
    async request(value: number): Promise<string> {
      return (await cloud.requestRun(version.id, requestFor(value))).id;
    },
    /** Whether the run has completed. */
    async poll(runId: string): Promise<boolean> {
      return (await cloud.getProgress(version.id, runId)).status === 'COMPLETED';
    },
    async fetch(runId: string): Promise<number> {
      return Number((await cloud.getRunResults(version.id, runId, []))[0]!.value);
    },
  };
}
