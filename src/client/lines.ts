import { createReadStream } from 'node:fs';

/** As Node's readline does not: only these end a line, so that a text may have the other separators of Unicode. */
const LINE_END = /\r\n|\n|\r/;

/** The lines of a text file, one at a time, without their ends and the mark that some editors put before the first. */
export async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = '';
  /** A carriage return at the end of a chunk: a newline may follow. */
  let held = '';
  let isFirst = true;
  for await (const chunk of createReadStream(file, 'utf8') as AsyncIterable<string>) {
    const text = held + (isFirst ? chunk.replace(/^\ufeff/, '') : chunk);
    isFirst = false;
    held = text.endsWith('\r') ? '\r' : '';
    // each chunk is split once: a line may be as long as the file
    const [first, ...others] = text.slice(0, text.length - held.length).split(LINE_END);
    rest += first!;
    if (others.length === 0) continue;
    yield rest;
    rest = others.pop()!;
    yield* others;
  }
  if (rest !== '' || held !== '') yield rest;
}
