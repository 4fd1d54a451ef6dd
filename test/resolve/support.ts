import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CheckedCampaign, checkCampaign } from '../../src/client/check.ts';
import type { CloudClient } from '../../src/cloud/index.ts';
import { type ForayError, isForayError } from '../../src/errors.ts';
import { HEAD, version } from '../campaign/support.ts';
import { testFolder } from '../support/test-folder.ts';

/** The model "Epidemic" of the tests in test/campaign. The service of these tests has only this model. */
const model = { id: 'epidemic', name: 'Epidemic', modelVersions: [version.id], published: true };
export const cloud = {
  getModelByName: () => Promise.resolve(model),
  getVersion: () => Promise.resolve(version),
  listExperiments: () => Promise.resolve([]),
  getAllowedValues: () => Promise.resolve([{ name: 'Initially infected', min: 1, max: 100 }]),
} as unknown as CloudClient;

/** A folder for definitions and their files. It is removed after the tests. */
export const folder = testFolder();

export function write(name: string, content: string | Uint8Array): void {
  writeFileSync(join(folder, name), content);
}

/** Checks a definition in the folder. Adds its first two lines. */
export function resolve(body: string): Promise<CheckedCampaign> {
  return checkCampaign(cloud, { text: HEAD + body, file: join(folder, 'campaign.yaml') });
}

/** The error of a definition that is refused. The place of the error has only the name of the file. */
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
