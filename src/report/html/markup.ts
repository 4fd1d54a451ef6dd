/** HTML text that goes into a page without escaping. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Content = Markup | string | number | undefined | readonly Content[];

/** The characters that are escaped, & first, and their escapes. One replacement for each is quicker than one for all. */
const escapes = ['&', '<', '>', '"', "'"].map((one): [RegExp, string] => [
  new RegExp(one, 'g'),
  `&#${one.charCodeAt(0)};`,
]);

/**
 * Makes HTML from a template. Texts in it are escaped, so they are safe in elements and in attributes in double quotes.
 */
export function html(strings: TemplateStringsArray, ...contents: Content[]): Markup {
  return new Markup(strings.map((text, i) => text + render(contents[i])).join(''));
}

function render(content: Content): string {
  if (content === undefined) return '';
  if (content instanceof Markup) return content.text;
  if (typeof content === 'object') return content.map(render).join('');
  const text = String(content);
  if (!/[&<>"']/.test(text)) return text;
  return escapes.reduce((escaped, [character, escape]) => escaped.replaceAll(character, escape), text);
}
