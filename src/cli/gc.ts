import type { Command } from 'commander';
import { counted } from '../report/index.ts';
import { type AskingFlags, isConfirmed, tellPlan } from './confirm.ts';
import { print, printJson } from './output.ts';
import { bytesText, withSettings } from './setting-options.ts';
import { withForay } from './with-foray.ts';

export function addGc(program: Command): void {
  withSettings(program.command('gc'))
    .description('delete unused files and free disk space in the store')
    .option('--yes', 'do not ask for confirmation')
    .option('--json', 'print {files: [{hash, size}], spareBytes}')
    .action((flags: AskingFlags) =>
      withForay(flags, async (foray) => {
        const garbage = await foray.garbage();
        const { files, young, spareBytes } = garbage;
        const size = sizeOf(files);
        tellPlan(flags, `${counted(files.length, 'file')} that no campaign needs: ${bytesText(size)}`);
        if (young.length > 0) {
          tellPlan(
            flags,
            `${counted(young.length, 'file')} more from the last hour ${young.length === 1 ? 'stays' : 'stay'}, because a submit may be about to use ${young.length === 1 ? 'it' : 'them'}: ${bytesText(sizeOf(young))}`,
          );
        }
        tellPlan(flags, `Unused space in the store: ${bytesText(spareBytes)}`);
        if (size + spareBytes > 0) {
          if (!(await isConfirmed(flags, 'Delete these files and free the space?'))) return;
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

function sizeOf(files: readonly { size: number }[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}
