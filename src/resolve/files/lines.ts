import { createReadStream } from 'node:fs';

/** The ends of lines. Other line separators of Unicode are part of the text; Node's readline would split at them. */
const LINE_END = /\r\n|\n|\r/;

/** Yields the lines of a text file, without line ends and without a byte order mark. */
export async function* linesOf(file: string): AsyncGenerator<string> {
  let rest = '';
  /** A carriage return at the end of a chunk: the next chunk may begin with its newline. */
  let held = '';
  let isFirst = true;
  for await (const chunk of createReadStream(file, 'utf8') as AsyncIterable<string>) {
    const text = held + (isFirst ? chunk.replace(/^\ufeff/, '') : chunk);
    isFirst = false;
    held = text.endsWith('\r') ? '\r' : '';
    // only the new chunk is split: a line may be as long as the file, and splitting it again and again would be slow
    const [first, ...others] = text.slice(0, text.length - held.length).split(LINE_END);
    rest += first!;
    if (others.length === 0) continue;
    yield rest;
    rest = others.pop()!;
    yield* others;
  }
  if (rest !== '' || held !== '') yield rest;
}
