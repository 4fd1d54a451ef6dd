import { setTimeout as delay } from 'node:timers/promises';
import { Foray, type Settings } from '../client/index.ts';
import { firstItems } from '../text/list-items.ts';
import { blockedText } from './progress-line.ts';

const EVERY_MS = 5_000;
/** Maximum number of campaigns that a line names. */
const MOST_NAMED = 3;

/**
 * From now on, reports when a campaign cannot continue, with the reason, and when it can continue again.
 *
 * @returns a function that ends the reports
 */
export async function tellBlocked(
  settings: Settings,
  tell: (line: string) => void,
): Promise<() => Promise<void>> {
  const foray = await Foray.open(settings);
  const end = new AbortController();
  let told: ReadonlyMap<string, string> = new Map();
  const look = async (): Promise<void> => {
    const blocked = await foray.blocked();
    for (const line of changesOfBlocked(told, blocked)) tell(line);
    told = blocked;
  };
  const watching = (async () => {
    while (!end.signal.aborted) {
      // after an error, the next look comes at its usual time
      await look().catch(() => undefined);
      await delay(EVERY_MS, undefined, { signal: end.signal }).catch(() => undefined);
    }
    await foray.close();
  })();
  return () => {
    end.abort();
    return watching;
  };
}

/** What has changed between two looks, one line for each cause. Both maps have the reasons by the ids of campaigns. */
export function changesOfBlocked(
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): string[] {
  const freed = [...before.keys()].filter((id) => !now.has(id));
  const changed = [...now].filter(([id, why]) => before.get(id) !== why);
  const byCause = Map.groupBy(changed, ([, why]) => why);
  return [
    ...(freed.length === 0
      ? []
      : [`${firstItems(freed, MOST_NAMED)} ${freed.length === 1 ? 'is' : 'are'} no longer blocked.`]),
    ...[...byCause].map(([why, entries]) => {
      const ids = entries.map(([id]) => id);
      return `${firstItems(ids, MOST_NAMED)}: ${blockedText(why)}`;
    }),
  ];
}
