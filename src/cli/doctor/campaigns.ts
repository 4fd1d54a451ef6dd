import { Foray, type Settings } from '../../client/index.ts';
import { stateOfStore } from '../../store/index.ts';
import { type Check, failed, failedWith, ok, skipped } from './check.ts';

const part = 'campaigns';

/** Checks whether all open campaigns of the store can go on. */
export async function checkCampaigns(settings: Settings): Promise<Check> {
  try {
    const { schema } = await stateOfStore(settings.store);
    if (schema !== 'current') return skipped(part, 'The store cannot be read.');
    const foray = await Foray.open(settings);
    try {
      const [first, ...others] = await foray.blocked();
      if (!first) return ok(part, 'All open campaigns can go on.');
      const [id, why] = first;
      const more = others.length === 0 ? '' : ` Neither can ${others.map(([other]) => other).join(', ')}.`;
      return failed(part, `${id} cannot go on: ${why}.${more}`, `"foray status ${id}" shows its state.`);
    } finally {
      await foray.close();
    }
  } catch (error) {
    return failedWith(part, error);
  }
}
