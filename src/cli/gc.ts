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
        const bytes = sizeOf(files);
        tellPlan(flags, `${counted(files.length, 'file')} that no campaign needs: ${bytesText(bytes)}`);
        if (young.length > 0) {
          const isOne = young.length === 1;
          tellPlan(
            flags,
            `${counted(young.length, 'file')} more from the last hour ${isOne ? 'stays' : 'stay'}, because a submit may be about to use ${isOne ? 'it' : 'them'}: ${bytesText(sizeOf(young))}`,
          );
        }
        tellPlan(flags, `Unused space in the store: ${bytesText(spareBytes)}`);
        const freed = bytes + spareBytes;
        if (freed > 0) {
          if (!(await isConfirmed(flags, 'Delete these files and free the space?'))) return;
          await foray.collect(garbage);
        }
        if (flags.json) printJson({ files: files.map(({ hash, size }) => ({ hash, size })), spareBytes });
        else print(freed > 0 ? `Freed ${bytesText(freed)}.` : 'There is nothing to free.');
      }),
    );
}

function sizeOf(files: readonly { size: number }[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}
