import { createInterface } from 'node:readline/promises';
import { ForayError } from '../errors.ts';
import { printable } from '../printable.ts';

/**
 * Asks a person, who says yes or no.
 * @throws ForayError USAGE when there is no terminal to ask at
 */
export async function isAgreed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new ForayError('USAGE', 'Nothing was changed: there is nobody to ask.', {
      hint: 'Add --yes to do it.',
    });
  }
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  const answer = await asking.question(`${printable(question)} [y/N] `).finally(() => asking.close());
  return /^y(es)?$/i.test(answer.trim());
}
