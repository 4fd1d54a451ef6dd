import { setTimeout as delay } from 'node:timers/promises';
import { Foray, type Settings } from '../client/index.ts';
import { blockedText } from './progress-line.ts';

const EVERY_MS = 5_000;

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
  const told = new Map<string, string>();
  const look = async (): Promise<void> => {
    const blocked = await foray.blocked();
    for (const id of [...told.keys()].filter((id) => !blocked.has(id))) {
      told.delete(id);
      tell(`${id} is no longer blocked.`);
    }
    for (const [id, why] of blocked) {
      if (told.get(id) !== why) tell(`${id}: ${blockedText(why)}`);
      told.set(id, why);
    }
  };
  const watching = (async () => {
    while (!end.signal.aborted) {
      // an error is ignored: the next call of look comes after the usual time
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
