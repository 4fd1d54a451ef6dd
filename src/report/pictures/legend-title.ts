import type { Measure } from '../../campaign/measures.ts';
import { titleOfMeasure } from '../words/words.ts';

/** The maximum number of characters of a line beside a picture. A longer line would be cut. */
const LINE = 20;

/** The title of a legend beside a picture, in as many lines as it needs. */
export function legendTitle(output: Measure): string | string[] {
  const lines: string[] = [];
  for (const word of titleOfMeasure(output).split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= LINE) lines.splice(-1, 1, `${last} ${word}`);
    else lines.push(word);
  }
  return lines.length === 1 ? lines[0]! : lines;
}
