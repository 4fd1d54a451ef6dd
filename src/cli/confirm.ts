import { createInterface } from 'node:readline/promises';
import { ForayError } from '../errors.ts';
import { printable } from '../text/printable.ts';

/**
 * Asks the user a yes-or-no question.
 * @throws ForayError USAGE when standard input is not a terminal
 */
export async function isConfirmed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new ForayError('USAGE', 'Nothing was changed: a confirmation needs a terminal.', {
      hint: 'Add --yes to go on without a question.',
    });
  }
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await asking.question(`${printable(question)} [y/N] `).finally(() => asking.close());
  return /^y(es)?$/i.test(answer.trim());
}
