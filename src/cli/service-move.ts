import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { homePaths } from '../dev/home.ts';
import { counted } from '../report/index.ts';
import { keyFileIn } from '../keys/file.ts';
import type { Moved } from '../service/move/move.ts';
import { print, printJson, tell } from './output.ts';
import { ProgressLine } from './progress-line.ts';
import { s3At } from './service-files.ts';
import { bytesText } from './setting-options.ts';

/** Flags of the command, or of `foray service` when they come before `move`. */
interface Flags {
  home?: string;
  data?: string;
  database?: string;
  files?: string;
  json?: boolean;
}

export function addServiceMove(service: Command): void {
  service
    .command('move')
    .description(
      'copy the runs, versions and files of a stopped service to PostgreSQL and an S3-compatible store; its data folder stays as it is',
    )
    .option('--data <folder>', 'data folder of the service (default: service in the home folder)')
    .option(
      '--database <address>',
      'an empty database for runs and versions: postgres://USER:PASSWORD@HOST/DATABASE',
    )
    .option('--files <address>', 'an S3-compatible store for files: s3://BUCKET?endpoint=URL&region=REGION')
    .option('--home <folder>', 'home of foray dev')
    .option('--json', 'print {rows, files, code} as JSON')
    .action(async (own: Flags) => {
      const { home, data, database, files, json } = { ...service.opts<Flags>(), ...own };
      const dataDir = resolve(data ?? homePaths(home!).service);
      const s3 = files === undefined ? undefined : await s3At(files);
      const { moveService } = await import('../service/move/move.ts');
      const line = new ProgressLine();
      let moved: Moved;
      try {
        moved = await moveService({
          dataDir,
          s3,
          database,
          onProgress: (part, done, total) => line.update(`${done} of ${total} ${part}`),
          onProblem: tell,
        });
      } finally {
        line.clear();
      }
      if (json) return printJson(moved);
      if (moved.rows) {
        const { runs, versions, lacking } = moved.rows;
        print(`The database has ${counted(runs, 'run')} and ${counted(versions, 'version')} now.`);
        if (lacking > 0) {
          tell(
            `${dataDir} has ${counted(lacking, 'run')} that the database lacks: the old service has run again after it was moved. A campaign that needs these runs requests them again. To move them too, name an empty database.`,
          );
        }
      }
      if (moved.files && moved.code) {
        const bytes = bytesText(moved.files.bytes + moved.code.bytes);
        print(
          `Moved ${counted(moved.files.files, 'file')} and ${counted(moved.code.files, 'file')} of versions to the bucket, together ${bytes}.`,
        );
      }
      const keys = keyFileIn(dataDir);
      print(
        `${dataDir} is unchanged.${existsSync(keys) ? ` Start each service with the same keys: --keys ${keys}` : ''}`,
      );
    });
}
