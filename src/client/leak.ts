import type { CampaignRecord } from '../store/index.ts';
import type { ClientContext } from './context.ts';

/** The longest time to wait for the service's words about a version, in milliseconds. */
const SOON_MS = 1_000;

/**
 * What the service says about outputs of a campaign's model that have depended on earlier runs of the same process;
 * empty if it says nothing, or does not answer soon.
 */
export async function leakIn({ cloud }: ClientContext, { campaign }: CampaignRecord): Promise<string> {
  const { model, versions = [model] } = campaign;
  const signal = AbortSignal.timeout(SOON_MS);
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
