import type { CallExpression, Expression as Tree, Identifier } from 'acorn';
import { nameKey } from '../../api/index.ts';
import { didYouMean, suggestion } from '../../text/suggest.ts';
import { quantity } from './decimals.ts';
import { ExpressionError, shown } from './error.ts';
import { functions, type NumberFunction } from './operators.ts';
import type { Scanned } from './scan.ts';
import type { BooleanPart, NamedTypes, Part } from './types.ts';

const CONSTANTS = new Map([
  ['true', true],
  ['false', false],
]);

/**
 * The text of one expression, and the meaning of its names. A name means an input or an output (called an input here).
 * Case and surrounding blanks of a name do not matter.
 */
export class Scope {
  /** The inputs that the expression reads, with the model's spelling. */
  readonly inputsRead = new Set<string>();
  readonly #text: string;
  readonly #scanned: Scanned;
  readonly #types: NamedTypes;
  readonly #noun: string;
  /** The model's spelling of each input, by nameKey. If two inputs have the same key, the first one counts. */
  readonly #inputs = new Map<string, string>();

  constructor(text: string, scanned: Scanned, types: NamedTypes, noun: string) {
    this.#text = text;
    this.#noun = noun;
    this.#scanned = scanned;
    this.#types = types;
    for (const name of types.keys()) {
      if (!this.#inputs.has(nameKey(name))) this.#inputs.set(nameKey(name), name);
    }
  }

  /** A part of the text, for a message. */
  source({ start, end }: Tree): string {
    return shown(this.#text.slice(start, end));
  }

  /** The content of the text that begins at an offset; undefined if no text begins there. */
  textAt(offset: number): string | undefined {
    return this.#scanned.texts.get(offset);
  }

  /** @throws ExpressionError if no input has this name */
  read(node: Identifier): Part {
    const { name: written, isQuoted } = this.#scanned.words.get(node.start)!;
    const constant = isQuoted ? undefined : CONSTANTS.get(nameKey(written));
    if (constant !== undefined) return truth(() => constant);
    const name = this.#inputs.get(nameKey(written));
    if (name === undefined) throw this.#unknown(node.start, written, isQuoted);
    this.inputsRead.add(name);
    switch (this.#types.get(name)!) {
      case 'file':
        throw new ExpressionError(`The ${this.#noun} ${shown(name)} is a file.`, node.start, {
          hint: 'An expression can use numbers, texts and truth values.',
        });
      case 'number':
        return { type: 'number', run: (values) => quantity(values(name) as number), follows: [name] };
      case 'text':
        return { type: 'text', run: (values) => values(name) as string };
      case 'boolean':
        return truth((values) => values(name) as boolean);
    }
  }

  #unknown(offset: number, written: string, isQuoted: boolean): ExpressionError {
    if (!isQuoted && functions.has(nameKey(written))) {
      return new ExpressionError(`The function ${shown(written)} has no brackets.`, offset, {
        hint: `Write ${nameKey(written)}(…), with its arguments between the brackets.`,
      });
    }
    const known = [...this.#types.keys()];
    const hints = [didYouMean(written, known)];
    if (!isQuoted && suggestion(written, known) === undefined) hints.push('A text needs quotes.');
    return new ExpressionError(`There is no ${this.#noun} ${shown(written)}.`, offset, {
      hint: hints.filter((hint) => hint !== undefined).join(' ') || undefined,
    });
  }

  /** @throws ExpressionError if the called name is not a function */
  functionOf({ callee }: CallExpression): NumberFunction & { name: string } {
    const word = callee.type === 'Identifier' ? this.#scanned.words.get(callee.start) : undefined;
    if (!word || word.isQuoted) {
      throw new ExpressionError(`${this.source(callee as Tree)} is not a function.`, callee.start, {
        hint: 'Write * to multiply.',
      });
    }
    const name = nameKey(word.name);
    const found = functions.get(name);
    if (found) return { name, ...found };
    throw new ExpressionError(`There is no function ${shown(word.name)}.`, callee.start, {
      hint: didYouMean(word.name, [...functions.keys()]),
    });
  }
}

/** A truth value that is read: it is either as wanted or not, so its lack has one size. */
function truth(run: BooleanPart['run']): BooleanPart {
  return { type: 'boolean', run, lack: (values, wanted) => Number(run(values) !== wanted), equations: [] };
}
