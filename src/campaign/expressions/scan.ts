import { ExpressionError, shown } from './error.ts';

/** A name in an expression. It names an input or a function, or it is `true` or `false`. */
export interface Word {
  name: string;
  /** Whether the name is in backticks. It then names an input. */
  isQuoted: boolean;
}

export interface Scanned {
  /**
   * The expression with other characters in place of each name, of the content of each text, and of the operators
   * `and`, `or` and `not`. Replacements have the same length, so all offsets stay the same.
   */
  masked: string;
  /** The names, by offset. */
  words: ReadonlyMap<number, Word>;
  /** The contents of texts, by offset. */
  texts: ReadonlyMap<number, string>;
}

const MOST_CHARACTERS = 10_000;
const MOST_BRACKETS = 100;
/**
 * The maximum number of operators. Each operator can add a level to the tree, so many operators can make the tree too
 * deep.
 */
const MOST_OPERATORS = 500;

const TOKEN = new RegExp(
  [
    String.raw`\s+`,
    String.raw`(?<number>(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+)?)`,
    String.raw`(?<text>'(?:[^'\r\n]|'')*'|"(?:[^"\r\n]|"")*")`,
    '`(?<name>(?:[^`]|``)*)`',
    String.raw`(?<word>[\p{L}_$][\p{L}\p{M}\p{N}_$]*)`,
    String.raw`(?<foreign>[=!]==|=[<>]|<>|<<|>>|\+\+|--|//|/\*|\?\?|\?\.(?!\d))`,
    String.raw`(?<operator>\*\*|[=!<>]=|&&|\|\||[-+*/%!<>?])`,
    '[():,]',
  ].join('|'),
  'uy',
);

interface Token {
  written: string;
  offset: number;
  /** What the token is: the group of {@link TOKEN} that matched. */
  kinds: Partial<Record<'number' | 'text' | 'name' | 'word' | 'operator', string>>;
}

/** In the masked text, a name's identifier and a text's content consist of this character. */
const MASK = '$';

/** Operators that are words, with their replacements in the masked text. */
const OPERATOR_WORDS = new Map([
  ['and', '&& '],
  ['or', '||'],
  ['not', '!  '],
]);

const NAME_HINT = 'Put backticks around a name that is not one plain word, such as `{RANDOM_SEED}`.';
const TEXT_HINT =
  'A text ends with the quote that it begins with, on the same line. Write that quote twice inside the text.';

/** Hints for notations of other languages. */
const INSTEAD = new Map([
  ['===', 'Write == for "is equal to".'],
  ['!==', 'Write != for "is not equal to".'],
  ['=', 'Write == for "is equal to".'],
  ['<>', 'Write != for "is not equal to".'],
  ['=<', 'Write <= for "at most".'],
  ['=>', 'Write >= for "at least".'],
  ['^', 'Write ** for "to the power of".'],
  ['&', 'Write "and" or "&&".'],
  ['|', 'Write "or" or "||".'],
  ['//', 'Write floor(a / b) for a quotient without its fraction.'],
  ['++', 'Put a blank between the two signs.'],
  ['--', 'Put a blank between the two signs.'],
  ["'", TEXT_HINT],
  ['"', TEXT_HINT],
  ['`', 'A name in backticks ends with a backtick. Write a backtick twice inside the name.'],
]);

/**
 * Reads the words of an expression. The function refuses each sign that no expression can contain, so the parser gets
 * none of them. Names are masked, so that no name has a meaning for the parser, not even `new`, `in` or `__proto__`.
 * Texts are masked as well. A backslash in a text has no special meaning.
 *
 * @throws ExpressionError
 */
export function scan(text: string): Scanned {
  if (text.length > MOST_CHARACTERS) {
    const count = text.length.toLocaleString('en');
    throw new ExpressionError(`The expression has ${count} characters.`, MOST_CHARACTERS, {
      hint: `At most ${MOST_CHARACTERS.toLocaleString('en')} are allowed.`,
    });
  }
  const tokens = [...tokensOf(text)];
  checkNesting(tokens);
  const words = new Map<number, Word>();
  const texts = new Map<number, string>();
  let masked = '';
  for (const { written, offset, kinds } of tokens) {
    const { number, text: quote, name, word } = kinds;
    const operator = operatorWord(word);
    if (operator !== undefined) {
      masked += operator;
    } else if (name !== undefined || word !== undefined) {
      if (masked.endsWith(MASK)) throw glued(written, offset);
      words.set(offset, { name: word ?? name!.replaceAll('``', '`'), isQuoted: word === undefined });
      masked += MASK.repeat(written.length);
    } else if (quote !== undefined) {
      const mark = quote.charAt(0);
      texts.set(offset, quote.slice(1, -1).replaceAll(mark + mark, mark));
      masked += `'${MASK.repeat(quote.length - 2)}'`;
    } else {
      if (number !== undefined && masked.endsWith(MASK)) throw glued(written, offset);
      masked += written;
    }
  }
  return { masked, words, texts };
}

function* tokensOf(text: string): Generator<Token> {
  for (let offset = 0; offset < text.length;) {
    TOKEN.lastIndex = offset;
    const found = TOKEN.exec(text);
    const written = found?.[0] ?? String.fromCodePoint(text.codePointAt(offset)!);
    const { foreign, ...kinds } = found?.groups ?? {};
    if (!found || foreign !== undefined) throw notPart(written, offset);
    yield { written, offset, kinds };
    offset += written.length;
  }
}

function operatorWord(word: string | undefined): string | undefined {
  return word === undefined ? undefined : OPERATOR_WORDS.get(word.toLowerCase());
}

/** Limits the depth of an expression, so that the parser and every walk over its tree have enough stack. */
function checkNesting(tokens: readonly Token[]): void {
  const open: number[] = [];
  let operators = 0;
  for (const { written, offset, kinds } of tokens) {
    if (kinds.operator !== undefined || operatorWord(kinds.word) !== undefined) operators += 1;
    if (operators > MOST_OPERATORS) {
      throw new ExpressionError(`The expression has more than ${MOST_OPERATORS} operators.`, offset);
    }
    if (written === '(') open.push(offset);
    if (open.length > MOST_BRACKETS) {
      throw new ExpressionError(`The expression is nested deeper than ${MOST_BRACKETS} brackets.`, offset);
    }
    if (written === ')' && open.pop() === undefined) {
      throw new ExpressionError('The closing bracket has no opening bracket.', offset);
    }
  }
  const unclosed = open.at(-1);
  if (unclosed !== undefined) throw new ExpressionError('A bracket is not closed.', unclosed);
}

function glued(written: string, offset: number): ExpressionError {
  return new ExpressionError(`${shown(written)} is not expected here.`, offset, { hint: NAME_HINT });
}

function notPart(written: string, offset: number): ExpressionError {
  const isUnclosed = written === "'" || written === '"' || written === '`';
  const message = isUnclosed
    ? `The text or name that begins with ${written} here has no end.`
    : `${shown(written)} is not part of an expression.`;
  return new ExpressionError(message, offset, { hint: INSTEAD.get(written) ?? NAME_HINT });
}
