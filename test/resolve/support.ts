import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { type CheckedCampaign, checkCampaign } from '../../src/client/check.ts';
import type { CloudClient } from '../../src/cloud/index.ts';
import { type ForayError, isForayError } from '../../src/errors.ts';
import { HEAD, version } from '../campaign/support.ts';

/** A service with the model "Epidemic" of the campaigns' tests. */
const model = { id: 'epidemic', name: 'Epidemic', modelVersions: [version.id], published: true };
export const cloud = {
  getModelByName: () => Promise.resolve(model),
  getVersion: () => Promise.resolve(version),
  listExperiments: () => Promise.resolve([]),
  getAllowedValues: () => Promise.resolve([{ name: 'Initially infected', min: 1, max: 100 }]),
} as unknown as CloudClient;

/** A folder for definitions and their files, removed at the end. */
export const folder = mkdtempSync(join(tmpdir(), 'foray-definitions-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

export function write(name: string, content: string): void {
  writeFileSync(join(folder, name), content);
}

/** Checks a definition in the folder. The first two lines are added. */
export function resolve(body: string): Promise<CheckedCampaign> {
  return checkCampaign(cloud, { text: HEAD + body, file: join(folder, 'campaign.yaml') });
}

/** The error for a definition with its files. Its place has only the file's name. */
export async function refusal(
  body: string,
): Promise<Pick<ForayError, 'code' | 'message' | 'hint' | 'place'>> {
  try {
    await resolve(body);
  } catch (error) {
    if (!isForayError(error)) throw error;
    const { code, message, hint } = error;
    const place = error.place && { ...error.place, file: error.place.file.replace(`${folder}/`, '') };
    return { code, message, hint, place };
  }
  throw new Error('nothing was refused');
}
