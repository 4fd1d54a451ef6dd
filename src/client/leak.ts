import type { CampaignRecord } from '../store/index.ts';
import type { ClientContext } from './context.ts';

/**
 * After this time without an answer, the service counts as silent, in milliseconds. A busy service may take seconds, and
 * a missing warning would look like sound results.
 */
const SILENCE_MS = 10_000;

/**
 * What the service says about outputs of a campaign's model that have depended on earlier runs of the same process;
 * empty if it says nothing, or is silent or away.
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
