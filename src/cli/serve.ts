import { Foray } from '../client/index.ts';
import type { Keys } from '../server/keys.ts';
import type { Server, ServerOptions } from '../server/app.ts';
import { type Needs, serveHealth } from '../http/health.ts';
import { settingsFrom } from '../settings/settings.ts';
import { tellLost } from '../store/index.ts';
import { tell } from './output.ts';
import type { SettingFlags } from './setting-options.ts';

/** What the server needs. The answers need no key, so they have no text from elsewhere. */
function needsOf(foray: Foray): Needs {
  const silent = 'It does not answer.';
  return {
    Temporal: async () => ((await foray.answers()).temporal ? undefined : silent),
    store: async () => ((await foray.hasStore()) ? undefined : 'It cannot be used.'),
    'model service': async () => ((await foray.answers()).service ? undefined : silent),
  };
}

/**
 * Opens the client, and serves the pages and the API, and the health of the process at an address of its own. `close`
 * stops the server and closes the client.
 */
export async function serve(
  flags: SettingFlags & { health?: { host: string; port: number } },
  keys: Keys,
  options: Pick<ServerOptions, 'host' | 'hostNames' | 'frameAncestors'> & { port: number },
): Promise<Server> {
  const { startServer } = await import('../server/app.ts');
  const settings = settingsFrom(flags);
  const foray = await Foray.open(settings, 'make');
  try {
    const health = flags.health && (await serveHealth(flags.health, needsOf(foray)));
    const server = await startServer({ ...options, foray, settings, keys, log: process.stderr }).catch(
      async (error: unknown) => {
        await health?.close();
        throw error;
      },
    );
    if (health) tell(`Health ${health.url}/ready`);
    const endTelling = tellLost({ whyLost: () => foray.whyStoreLost() }, (line) => tell(line, 'warn'));
    const close = async (): Promise<void> => {
      endTelling();
      await health?.close();
      await server.close();
      await foray.close();
    };
    return { ...server, close };
  } catch (error) {
    await foray.close();
    throw error;
  }
}
