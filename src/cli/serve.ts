import { Foray } from '../client/index.ts';
import type { Keys } from '../server/keys.ts';
import type { Server, ServerOptions } from '../server/app.ts';
import { settingsFrom } from '../settings/settings.ts';
import { tellLost } from '../store/index.ts';
import { tell } from './output.ts';
import type { SettingFlags } from './setting-options.ts';

/** Opens the client, and serves the pages and the API. `close` stops the server and closes the client. */
export async function serve(
  flags: SettingFlags,
  keys: Keys,
  options: Pick<ServerOptions, 'host' | 'hostNames' | 'frameAncestors'> & { port: number },
): Promise<Server> {
  const { startServer } = await import('../server/app.ts');
  const settings = settingsFrom(flags);
  const foray = await Foray.open(settings, 'make');
  try {
    const server = await startServer({ ...options, foray, settings, keys, log: process.stderr });
    const endTelling = tellLost({ whyLost: () => foray.whyStoreLost() }, tell);
    const close = async (): Promise<void> => {
      endTelling();
      await server.close();
      await foray.close();
    };
    return { ...server, close };
  } catch (error) {
    await foray.close();
    throw error;
  }
}
