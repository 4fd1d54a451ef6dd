import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { endWithParent, tellReady } from '../dev/lifeline.ts';
import { homePaths } from '../dev/home.ts';
import { print, tell } from './output.ts';
import { homeOption, wholeNumber } from './settings.ts';
import { untilSignalled } from './signals.ts';

const SHIPPED_MODELS = resolve(import.meta.dirname, '../../models');
const DEFAULT_PORT = 8090;

interface Flags {
  home: string;
  host: string;
  port: number;
  data?: string;
  models: string[];
  apiKey?: string;
  executors?: number;
}

export function addService(program: Command): void {
  program
    .command('service')
    .description('the model service, until SIGINT or SIGTERM')
    .addOption(homeOption())
    .option('--host <host>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port to listen on; 0 takes a free one', wholeNumber(0, 65_535), DEFAULT_PORT)
    .option('--data <folder>', 'where runs, results and files are kept (default: service in the home folder)')
    .option(
      '--models <folder>',
      'a folder of models to serve beside the shipped ones; may be given again',
      (folder: string, known: string[]) => [...known, folder],
      [],
    )
    .addOption(new Option('--api-key <key>', "the local user's key").env('FORAY_API_KEY'))
    .option(
      '--executors <number>',
      'how many runs execute at once (default: as many as cores)',
      wholeNumber(1),
    )
    .action(async (flags: Flags) => {
      endWithParent();
      const signalled = untilSignalled();
      const { startService } = await import('../service/service.ts');
      const service = await startService({
        host: flags.host,
        port: flags.port,
        dataDir: resolve(flags.data ?? homePaths(flags.home).service),
        modelDirs: [SHIPPED_MODELS, ...flags.models.map((folder) => resolve(folder))],
        ...(flags.apiKey && { apiKey: flags.apiKey }),
        ...(flags.executors && { executors: flags.executors }),
      });
      print(`Model service  ${service.url} (process ${process.pid})`);
      if (service.newKey) {
        print(`API key        ${service.newKey} (shown this once; give it as --api-key or FORAY_API_KEY)`);
      }
      tellReady();
      await signalled;
      tell('Stopping');
      await service.close();
    });
}
