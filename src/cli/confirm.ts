import { createInterface } from 'node:readline/promises';
import { ForayError } from '../errors.ts';
import { printable } from '../text/printable.ts';
import { tell } from './output.ts';
import type { SettingFlags } from './setting-options.ts';

/** The flags of a command that says what it is about to do, and asks before it does that. */
export interface AskingFlags extends SettingFlags {
  yes?: boolean;
  json?: boolean;
}

/** Says what a command is about to do. With --json, nobody reads this unless the command asks. */
export function tellPlan({ yes, json }: AskingFlags, text: string): void {
  if (!json || !yes) tell(text);
}

/**
 * Asks the user a yes-or-no question. With --yes, the answer is yes.
 * @throws ForayError USAGE when standard input is not a terminal
 */
export async function isConfirmed({ yes }: AskingFlags, question: string): Promise<boolean> {
  if (yes) return true;
  if (!process.stdin.isTTY) {
    throw new ForayError('USAGE', 'Nothing was changed: a confirmation needs a terminal.', {
      hint: 'Add --yes to go on without a question.',
    });
  }
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await asking.question(`${printable(question)} [y/N] `).finally(() => asking.close());
  return /^y(es)?$/i.test(answer.trim());
}
