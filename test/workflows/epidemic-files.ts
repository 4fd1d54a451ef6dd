import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import { fileIn } from '../../src/api/index.ts';
import { toTheEnd } from '../support/campaigns.ts';
import { foray, type Ran } from '../support/cli.ts';
import { type FaultyService, pass, startFaultyService } from '../support/faulty-service.ts';
import { KEY, startWorld, type World } from '../support/world.ts';
import { EPIDEMIC } from '../service/fixed.ts';

/** A world in which a faulty service stands between foray and the service, and campaigns whose runs write files. */

export let world: World;
export let front: FaultyService;
export let folder: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'foray-files-'));
  world = await startWorld({
    models: [EPIDEMIC],
    through: async (service) => (front = await startFaultyService(service)),
  });
  await world.startWorker();
});
afterEach(() => {
  front.plan = pass;
});
afterAll(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A definition with one point for each contact rate. Each run writes a file. */
export const epidemic = (rates: number[], outputs: string, days = 5) => ({
  text: `
campaign: flu
model: {name: Epidemic}
inputs: {Days: ${days}}
design: {grid: {Contact rate: ${JSON.stringify(rates)}}}
outputs: ${outputs}
`,
  file: 'flu.yaml',
});
export const KEEP = '{names: [Peak day, Trajectory], files: keep}';
export const LINK = '[Peak day, Trajectory]';

export async function submit(source: ReturnType<typeof epidemic>, id: string) {
  await world.foray.submit(source, { id });
  return toTheEnd(world, id);
}

export const hashesOf = async (id: string): Promise<string[]> =>
  (await world.rows(id)).map(({ outputs }) => fileIn(outputs.Trajectory)!.hash);

export async function keptOf(id: string): Promise<string[]> {
  const hashes = await hashesOf(id);
  const kept = await world.foray['store'].keptFiles(id, hashes);
  return hashes.flatMap((hash) => kept.get(hash) ?? []);
}

/** Runs `foray results`. Its lines about progress are left out, because only a slow machine prints them. */
export async function results(...args: string[]): Promise<Ran> {
  const ran = await foray(folder, ['results', ...args], {
    env: {
      FORAY_STORE: world.settings.store,
      FORAY_SERVICE_URL: world.settings.service.url,
      FORAY_API_KEY: KEY,
    },
  });
  return { ...ran, stderr: ran.stderr.replaceAll(/^files: .*\n/gm, '') };
}
