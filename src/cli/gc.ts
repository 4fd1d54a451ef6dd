import type { Command } from 'commander';
import { counted } from '../report/index.ts';
import { isAgreed } from './agree.ts';
import { print, printJson, tell } from './output.ts';
import { bytesText, type SettingFlags, withSettings } from './settings.ts';
import { withForay } from './with-foray.ts';

interface Flags extends SettingFlags {
  yes?: boolean;
  json?: boolean;
}

export function addGc(program: Command): void {
  withSettings(program.command('gc'))
    .description('delete the files that no campaign needs any more, and give back the room in the store')
    .option('--yes', 'do not ask')
    .option('--json', 'print {files: [{hash, size}], spareBytes}')
    .action((flags: Flags) =>
      withForay(flags, async (foray) => {
        const garbage = await foray.garbage();
        const { files, spareBytes } = garbage;
        const size = files.reduce((sum, file) => sum + file.size, 0);
        if (!flags.json || !flags.yes) {
          tell(`${counted(files.length, 'file')} that no campaign needs: ${bytesText(size)}`);
          tell(`Room that nothing is in: ${bytesText(spareBytes)}`);
        }
        if (size + spareBytes > 0) {
          if (!flags.yes && !(await isAgreed('Free it?'))) return;
          await foray.collect(garbage);
        }
        if (flags.json)
          printJson({ files: files.map(({ hash, size: bytes }) => ({ hash, size: bytes })), spareBytes });
        else
          print(
            size + spareBytes > 0 ? `Freed ${bytesText(size + spareBytes)}.` : 'There is nothing to free.',
          );
      }),
    );
}
