import { changed, settingsDifference, unchangeable } from '../campaign/change.ts';
import { expand } from '../campaign/design.ts';
import type { Campaign, CampaignFile } from '../campaign/types.ts';
import { isCloudError } from '../cloud/index.ts';
import { errorCodes, ForayError, isForayError } from '../errors.ts';
import { type FindFiles, resolveDefinition } from '../resolve/index.ts';
import type { CampaignRecord } from '../store/index.ts';
import { prepare } from './prepare.ts';
import type { ChangeAnswer, ChangeRequest, DefinitionMessage, World } from './types.ts';

/** What a definition that came with a message is called in errors. */
const MESSAGE = '<definition>';

/**
 * Changes a campaign in the store as a person asked for. What is refused changes
 * nothing; a service that does not answer is no refusal.
 */
export async function change(
  world: World,
  record: CampaignRecord,
  { request, goesOn }: { request: ChangeRequest; goesOn: boolean },
  signal: AbortSignal,
): Promise<ChangeAnswer> {
  const { store } = world;
  const { id } = record.campaign;
  // it was closed before its design was expanded
  if (goesOn && record.points === 0) await prepare(world, record, signal);
  const now = Date.now();
  let { campaign } = record;
  let diff = null;
  let forgiven = 0;
  try {
    if ('apply' in request) {
      const after = await resolved(world, record, request.apply);
      const points = await store.changeCampaign(after, expand(after.campaign), now);
      diff = { points, ...settingsDifference(campaign, after.campaign) };
      campaign = after.campaign;
    }
  } catch (error) {
    // what a person can mend is an answer; the rest is repeated
    if (!isForayError(error) || isCloudError(error) || errorCodes[error.code].exit !== 2) throw error;
    return { refused: error.toLine(), code: error.code };
  }
  if ('retry' in request && request.retry !== 'missing')
    forgiven = await store.forgive(id, campaign.attempts.seed === 'new' && campaign.attempts.count > 1, now);
  if (goesOn) await store.reopen(id, now);
  const { concurrency, failures, timeouts } = campaign;
  return {
    points: (await store.getCampaign(id))!.points,
    counts: await store.counts(id),
    settings: { concurrency, failures, timeouts },
    forgiven,
    difference: diff,
  };
}

async function resolved(
  { cloud }: World,
  { campaign }: CampaignRecord,
  definition: DefinitionMessage,
): Promise<Pick<CampaignRecord, 'campaign' | 'definition' | 'digest'>> {
  const text = typeof definition === 'string' ? definition : JSON.stringify(definition, undefined, 2);
  const source = { text, file: MESSAGE };
  const after = await resolveDefinition(cloud, source, findFiles(campaign.files), campaign.model);
  const whole: Campaign = { ...after.campaign, id: campaign.id, service: campaign.service };
  const what = unchangeable(campaign, whole);
  if (what !== undefined) {
    throw new ForayError('CHANGE_REFUSED', `In a campaign that has begun, ${what} cannot change.`, {
      hint: 'Submit it as a campaign of its own.',
    });
  }
  return { campaign: changed(campaign, whole), definition: text, digest: after.digest };
}

/** A worker opens no path that a definition names: it knows files by the input and the name of the file. */
function findFiles(known: readonly CampaignFile[]): FindFiles {
  return ({ locate }, paths) =>
    Promise.resolve(
      Object.entries(paths).map(([input, path]) => {
        const filename = path.split(/[\\/]/).at(-1);
        const file = known.find((candidate) => candidate.input === input && candidate.filename === filename);
        if (file) return file;
        throw new ForayError('CHANGE_REFUSED', `The campaign has no file "${path}" for "${input}".`, {
          place: locate(['files']),
          hint: 'Files cannot change in a campaign that has begun; submit it as a campaign of its own.',
        });
      }),
    );
}
