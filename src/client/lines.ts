import { createReadStream } from 'node:fs';

/** As Node's readline does not: only these end a line, so that a text may have the other separators of Unicode. */
const LINE_END = /\r\n|\n|\r(?=[^])/;

/** The lines of a text file, one at a time, without their ends and the mark that some editors put before the first. */
export async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = '';
  let isFirst = true;
  for await (const chunk of createReadStream(file, 'utf8') as AsyncIterable<string>) {
    rest += isFirst ? chunk.replace(/^\ufeff/, '') : chunk;
    isFirst = false;
    const lines = rest.split(LINE_END);
    rest = lines.pop()!;
    yield* lines;
  }
  if (rest !== '') yield rest.replace(/\r$/, '');
}
