import type { CampaignRecord } from '../store/index.ts';
import type { ClientContext } from './context.ts';

/**
 * After this time without an answer, the service counts as silent, ms. A busy service may take seconds, and results
 * without their warning would look sound.
 */
const SILENCE_MS = 10_000;

/**
 * The service's warning of a leak: outputs of the campaign's model have depended on earlier runs of the same process.
 * Empty if the service has no such warning or does not answer.
 */
export async function leakIn({ cloud }: ClientContext, { campaign }: CampaignRecord): Promise<string> {
  const { model, versions = [model] } = campaign;
  const signal = AbortSignal.timeout(SILENCE_MS);
  const said = await Promise.all(
    versions.map(async ({ version, versionId }) => {
      try {
        const leak = (await cloud.getVersionCode(versionId, signal))?.leak;
        return leak ? [`outputs of version ${version} depend on earlier runs: ${leak}`] : [];
      } catch {
        return [];
      }
    }),
  );
  return said.flat().join(' ');
}
