import { type Document, isCollection, isScalar, type Node, visit, type YAMLParseError } from 'yaml';

export const TOO_DEEP = 'Lists or mappings are nested too deeply.';

/** A mistake in a text that is not YAML. */
export interface Mistake {
  /** The offset of the mistake in the text. The parser may have noticed the mistake at another place. */
  offset: number;
  message: string;
  /** A sentence that says what to do about the mistake. */
  hint?: string;
}

/**
 * Finds the mistake that caused an error of the parser. A common mistake has foray's own message. Any other mistake has
 * the parser's message.
 */
export function mistakeBehind(error: YAMLParseError, document: Document.Parsed, text: string): Mistake {
  const found = { error, text, offset: error.pos[0], nodes: nodesAround(document, error.pos[0]) };
  const [mistake] = RECOGNIZERS.flatMap((recognize) => recognize(found) ?? []);
  return mistake ?? { offset: found.offset, message: error.message };
}

interface Found {
  error: YAMLParseError;
  text: string;
  /** The offset where the parser noticed the mistake. */
  offset: number;
  /** The nodes that begin at the offset or before, and end there or later, outermost first. */
  nodes: Located[];
}

/** A part of the text as the parser understood it, from `start` to `end`, without trailing blanks. */
interface Located {
  node: Node;
  start: number;
  end: number;
}

function nodesAround(document: Document.Parsed, offset: number): Located[] {
  const nodes: Located[] = [];
  visit(document, {
    Node(_, node) {
      const [start = 0, end = 0, withBlanks = 0] = node.range ?? [];
      if (start <= offset && offset <= withBlanks) nodes.push({ node, start, end });
    },
  });
  return nodes;
}

/** Functions that each recognize one kind of mistake. The first one that finds a mistake decides. */
const RECOGNIZERS: ((found: Found) => Mistake | undefined)[] = [
  tooDeep,
  secondDocument,
  indentedByTab,
  unclosedQuote,
  unclosedBracket,
  strayBracket,
  missingBlank,
  textAfterBracket,
  missingComma,
  missingColon,
  colonInText,
  wrongIndentation,
  missingQuotes,
];

function tooDeep({ error, offset }: Found): Mistake | undefined {
  if (error.code !== 'RESOURCE_EXHAUSTION') return undefined;
  return { offset, message: TOO_DEEP };
}

function secondDocument({ error, text, offset }: Found): Mistake | undefined {
  if (error.code !== 'MULTIPLE_DOCS') return undefined;
  return {
    offset,
    message: 'A second document begins here.',
    hint: `Write it to another file, or remove the line "${text.startsWith('---', offset) ? '---' : '...'}".`,
  };
}

function indentedByTab({ error, offset }: Found): Mistake | undefined {
  if (error.code !== 'TAB_AS_INDENT') return undefined;
  return { offset, message: 'The line is indented by a tab.', hint: 'Indent it by blanks.' };
}

function unclosedQuote({ error, text, offset, nodes }: Found): Mistake | undefined {
  const quoted = nodes.findLast(({ node }) => isScalar(node) && node.type?.startsWith('QUOTE_'));
  if (!quoted || quoted.start === offset) return undefined;
  if (error.code === 'MISSING_CHAR') {
    return {
      offset: quoted.start,
      message: 'The quote that begins here has no end.',
      hint: 'Close it at the end of the text. If the text contains a quote, put quotes of the other kind around the text.',
    };
  }
  if (error.code !== 'UNEXPECTED_TOKEN' || offset < quoted.end) return undefined;
  const isLong = text.slice(quoted.start, quoted.end).includes('\n');
  return {
    offset: isLong ? quoted.start : offset,
    message: isLong
      ? 'The quote that begins here ends in a later line, and more text follows.'
      : 'More text follows the closing quote.',
    hint: 'Put quotes around the whole text. If the text contains a quote, use quotes of the other kind.',
  };
}

const CLOSING: Record<string, string> = { '[': ']', '{': '}' };

function unclosedBracket({ error, text, nodes }: Found): Mistake | undefined {
  if (error.code !== 'BAD_INDENT' && error.code !== 'MISSING_CHAR') return undefined;
  // a pair in a list between brackets is a mapping too, but has no brackets
  const open = nodes.findLast(
    ({ node, start, end }) =>
      isFlow(node) && text[start]! in CLOSING && text[end - 1] !== CLOSING[text[start]!],
  );
  if (!open) return undefined;
  const bracket = text[open.start]!;
  return {
    offset: open.start,
    message: `The bracket ${bracket} that is opened here is not closed.`,
    hint: `Write ${CLOSING[bracket]} at its end, and indent the lines between.`,
  };
}

function strayBracket({ error, text, offset }: Found): Mistake | undefined {
  const bracket = text[offset]!;
  if (error.code !== 'UNEXPECTED_TOKEN' || (bracket !== ']' && bracket !== '}')) return undefined;
  return {
    offset,
    message: `The bracket ${bracket} closes nothing.`,
    hint: 'Remove it, or open a bracket before it.',
  };
}

function missingBlank({ error, text, offset, nodes }: Found): Mistake | undefined {
  if (!['MULTILINE_IMPLICIT_KEY', 'MISSING_CHAR', 'BAD_INDENT'].includes(error.code)) return undefined;
  if (isInBrackets(nodes)) return undefined;
  const { line, start } = lineAt(text, offset);
  // a name with its colon, or the dash of an item, directly before a text
  const glued = /^(\s*(?:- +)*[^\s:#'"[\]{}-][^\s:#'"[\]{}]*:|\s*-)(?=[^\s-])/.exec(line)?.[0];
  if (glued === undefined || /:\s/.test(line.slice(glued.length))) return undefined;
  const sign = glued.endsWith(':') ? 'colon' : 'dash';
  return {
    offset: start + glued.length - 1,
    message: `There is no blank after the ${sign}.`,
    hint: 'Put a blank there.',
  };
}

const COMMAS = 'Between brackets a comma separates values.';

/** Finds text after a closing bracket. Inside of other brackets, it is the next value, and a comma is missing. */
function textAfterBracket({ error, text, offset, nodes }: Found): Mistake | undefined {
  if (error.code !== 'UNEXPECTED_TOKEN' || !/[\]}]\s*$/.test(text.slice(0, offset))) return undefined;
  if (nodes.some(({ node, end }) => isFlow(node) && end > offset))
    return { offset, message: 'There is no comma before this.', hint: COMMAS };
  if (!isInBrackets(nodes)) return undefined;
  return {
    offset,
    message: 'More text follows the closing bracket.',
    hint: 'Put the next setting on a line of its own.',
  };
}

function missingComma({ error, offset, nodes }: Found): Mistake | undefined {
  if (!isInBrackets(nodes) || (error.code !== 'MULTILINE_IMPLICIT_KEY' && error.code !== 'MISSING_CHAR'))
    return undefined;
  return { offset, message: 'There is no comma after this.', hint: COMMAS };
}

function missingColon({ error, text, offset }: Found): Mistake | undefined {
  if (error.code !== 'MULTILINE_IMPLICIT_KEY' && error.code !== 'MISSING_CHAR') return undefined;
  if (/:(\s|$)/.test(lineAt(text, offset).line)) return undefined;
  return {
    offset,
    message: 'There is no colon after this name.',
    hint: 'Write it as "name: value", or indent the line if it belongs to the text above.',
  };
}

function colonInText({ error, text, offset }: Found): Mistake | undefined {
  if (error.code !== 'BLOCK_AS_IMPLICIT_KEY' && error.code !== 'BLOCK_IN_FLOW') return undefined;
  const { line, start } = lineAt(text, offset);
  const rest = line.slice(offset - start);
  if (rest.trimStart().startsWith('- ') || !/:(\s|$)/.test(rest)) return undefined;
  return {
    offset,
    message: 'The line has a second colon.',
    hint: `Put the text in quotes if the colon is a part of it.${error.code === 'BLOCK_IN_FLOW' ? ` ${COMMAS}` : ''}`,
  };
}

/**
 * Finds a line with a wrong indentation. It is the line where the parser noticed the mistake, or the next line: the
 * parser may have read the wrong line as a part of the text before it.
 */
function wrongIndentation({ error, text, offset }: Found): Mistake | undefined {
  const mayBeNext = error.code === 'BLOCK_AS_IMPLICIT_KEY';
  if (!mayBeNext && !['BAD_INDENT', 'MULTILINE_IMPLICIT_KEY', 'MISSING_CHAR'].includes(error.code))
    return undefined;
  const noticed = lineAt(text, offset);
  // an empty line or a comment may come before the line itself
  const here = hasContent(noticed) ? noticed : (lineAfter(text, noticed) ?? noticed);
  const isItem = here.line.trimStart().startsWith('- ') && offset <= here.start + indentOf(here.line);
  const [before, wrong] =
    mayBeNext && !isItem ? [here, lineAfter(text, here)] : [lineBefore(text, here), here];
  if (!before || !wrong) return undefined;
  const [indent, indentBefore] = [indentOf(wrong.line), indentOf(before.line)];
  if (indent === indentBefore) {
    const message = 'Items of a list and names are mixed.';
    return { offset: wrong.start + indent, message, hint: 'Write either "- value" or "name: value".' };
  }
  return {
    offset: wrong.start + indent,
    message: `The line is indented by ${indent}, and the line before it by ${indentBefore}.`,
    hint: 'Lines that belong together begin in the same column.',
  };
}

function missingQuotes({ error, text, offset }: Found): Mistake | undefined {
  if (error.code !== 'BAD_SCALAR_START') return undefined;
  return {
    offset,
    message: `A text without quotes cannot begin with ${text[offset]}.`,
    hint: 'Put it in quotes.',
  };
}

function isInBrackets(nodes: readonly Located[]): boolean {
  return nodes.some(({ node }) => isFlow(node));
}

function isFlow(node: Node | undefined): boolean {
  return isCollection(node) && node.flow === true;
}

interface TextLine {
  line: string;
  start: number;
}

function lineAt(text: string, offset: number): TextLine {
  const start = offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
  const end = text.indexOf('\n', start);
  return { line: text.slice(start, end === -1 ? text.length : end), start };
}

/** The nearest earlier line with content: it is neither empty nor a comment. */
function lineBefore(text: string, { start }: TextLine): TextLine | undefined {
  for (let at = start; at > 0;) {
    const before = lineAt(text, at - 1);
    if (hasContent(before)) return before;
    at = before.start;
  }
  return undefined;
}

/** The nearest later line with content. */
function lineAfter(text: string, { start, line }: TextLine): TextLine | undefined {
  for (let at = start + line.length + 1; at < text.length;) {
    const after = lineAt(text, at);
    if (hasContent(after)) return after;
    at += after.line.length + 1;
  }
  return undefined;
}

function hasContent({ line }: TextLine): boolean {
  const content = line.trim();
  return content !== '' && !content.startsWith('#');
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
