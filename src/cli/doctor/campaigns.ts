import { setTimeout as delay } from 'node:timers/promises';
import { type CampaignStatus, Foray, isClosed, type Settings } from '../../client/index.ts';
import { stateOfStore } from '../../store/index.ts';
import { shortReason } from '../progress-line.ts';
import { type Check, failed, failedWith, ok, skipped } from './check.ts';

const part = 'campaigns';
/** Maximum number of campaigns whose workflows are asked. */
const MOST_ASKED = 10;
/** How many times a workflow is asked until it answers, and the pause after each question, ms. Its worker may be busy. */
const QUESTIONS = 3;
const AGAIN_MS = 1_000;

/** Checks whether all open campaigns of the store can go on. */
export async function checkCampaigns(settings: Settings): Promise<Check> {
  try {
    const { schema } = await stateOfStore(settings.store);
    if (schema !== 'current') return skipped(part, 'The store cannot be read.');
    const foray = await Foray.open(settings, 'refuse');
    try {
      const open = (await foray.list()).filter((status) => !isClosed(status));
      const asked = await Promise.all(open.slice(0, MOST_ASKED).map((status) => whyStuck(foray, status)));
      const rest = open
        .slice(MOST_ASKED)
        .flatMap(({ id, blocked }) => (blocked === null ? [] : [{ id, why: blocked }]));
      const [first, ...others] = [...asked.filter((stuck) => stuck !== undefined), ...rest];
      if (!first) return ok(part, 'All open campaigns can go on.');
      const more = others.length === 0 ? '' : ` Neither can ${others.map(({ id }) => id).join(', ')}.`;
      return failed(
        part,
        `${first.id} cannot go on: ${shortReason(first.why).replace(/\.$/, '')}.${more}`,
        `"foray status ${first.id}" shows its state.`,
      );
    } finally {
      await foray.close();
    }
  } catch (error) {
    return failedWith(part, error);
  }
}

/** Why an open campaign cannot go on; undefined if it can. A campaign whose workflow does not answer cannot. */
async function whyStuck(
  foray: Foray,
  { id, blocked }: CampaignStatus,
): Promise<{ id: string; why: string } | undefined> {
  if (blocked !== null) return { id, why: blocked };
  for (let question = 1; ; question += 1) {
    const status = await foray.status(id);
    if (status.blocked !== null) return { id, why: status.blocked };
    if (isClosed(status) || status.source === 'workflow') return undefined;
    if (question === QUESTIONS) return { id, why: status.note };
    await delay(AGAIN_MS);
  }
}
