import { chosenIn, pathOfField } from '../../campaign/form/fields.ts';
import { OBSERVED, type PostedForm } from '../../campaign/form/form.ts';
import { ForayError } from '../../errors.ts';
import { quoted } from '../../text/suggest.ts';
import { DEFINITION } from '../jobs/with-definition.ts';
import { ServerError } from '../server-error.ts';
import { MOST_FILES, MOST_ON_PAGE, UPLOAD } from './form-parts.ts';
import { CONTROL } from './form.ts';

export type Files = Readonly<Record<string, string>>;

/** A form as a browser sends it. */
export interface SentForm {
  posted: PostedForm;
  /** The chosen kind of campaign, such as a search (`ways`); undefined if the form has no choice. */
  way: string | undefined;
  id: string;
  /** Made with the page, so that a form that comes twice starts one campaign; empty if a program sends the form. */
  token: string;
  /** The content of each uploaded file in Base64, by name. */
  files: Files;
  /** The button: plan, start, or none. */
  doing: string;
  /** What is wrong with its files. */
  mistakes: readonly ForayError[];
}

/**
 * The form that a browser has sent. A file is a text: its name, a colon, and its content in Base64.
 *
 * @throws ServerError TOO_LARGE for texts that would hold the server while it writes them into the page again
 */
export function sentIn(controls: URLSearchParams): SentForm {
  checkLengths(controls);
  const text = withUnixLines(controls.get('definition'));
  const fields = fieldsIn(controls);
  const files = new Map(controls.getAll('content').map(namedFile));
  const { observations, mistakes } = takeUploads(controls, text, fields, files);
  return {
    posted: { text, was: withUnixLines(controls.get('was') ?? text), fields, observations },
    way: controls.get('way') ?? undefined,
    id: (controls.get('id') ?? '').trim(),
    token: controls.get('token') ?? '',
    files: Object.assign(Object.create(null), Object.fromEntries(files)) as Files,
    doing: controls.get('do') ?? '',
    mistakes,
  };
}

/** Checks each text of a definition, and all other fields together. @throws ServerError TOO_LARGE */
function checkLengths(controls: URLSearchParams): void {
  const texts = ['definition', 'was'];
  for (const name of texts) checkLength(controls.get(name) ?? '');
  const isFile = (name: string): boolean => name === 'content' || name.startsWith(UPLOAD);
  const others = [...controls].filter(([name]) => !texts.includes(name) && !isFile(name));
  // names count, too
  checkLength(others.flat().join(''));
}

/** The texts of the fields, by the names of the fields. */
function fieldsIn(controls: URLSearchParams): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of controls) {
    if (!name.startsWith(CONTROL)) continue;
    const field = name.slice(CONTROL.length);
    // the boxes and the text of one list have the same name
    const texts = [fields.get(field) ?? '', withUnixLines(value)];
    fields.set(field, texts.filter((text) => text.trim() !== '').join(', '));
  }
  return fields;
}

/**
 * Adds the uploaded files to the files of the form, and their names to its fields. The observations of a calibration are
 * read, and are no file of the form.
 */
function takeUploads(
  controls: URLSearchParams,
  text: string,
  fields: Map<string, string>,
  files: Map<string, string>,
): { observations: string | undefined; mistakes: ForayError[] } {
  const mistakes: ForayError[] = [];
  let observations: string | undefined;
  for (const [control, value] of controls) {
    if (!control.startsWith(UPLOAD)) continue;
    const [file, content] = namedFile(value);
    const field = control.slice(UPLOAD.length);
    /** The name of the file that the field had before. */
    const former = fields.get(field) ?? '';
    const isOfOtherField = (name: string): boolean =>
      [...fields].some(([one, path]) => one !== field && path.split('/').at(-1) === name);
    const isTaken = (name: string): boolean => {
      const isOtherFile = files.has(name) && files.get(name) !== content;
      // a part of the text that no field shows may name a file, too
      return isOtherFile && (isOfOtherField(name) || (name !== former && text.includes(name)));
    };
    const name = freeName(file, isTaken);
    const replaced = isOfOtherField(former) ? '' : former;
    const kept = [...files].filter(([one]) => one !== name && one !== replaced);
    if (sizeOf([...kept, [name, content]]) > MOST_FILES) {
      mistakes.push(tooLarge(file, field));
      continue;
    }
    if (field === OBSERVED) {
      observations = Buffer.from(content, 'base64').toString();
      continue;
    }
    fields.set(field, name);
    // if a part that no field shows names this file as well, the plan says that it is missing
    files.delete(replaced);
    files.set(name, content);
    // the shape of a choice that takes the name of a file is now in use
    const [, choice, shape] = /^(.*):(\d+)$/.exec(field) ?? [];
    if (choice !== undefined) fields.set(chosenIn(choice), shape!);
  }
  return { observations, mistakes };
}

function namedFile(sent: string): [name: string, content: string] {
  const end = sent.lastIndexOf(':');
  return [sent.slice(0, Math.max(0, end)), sent.slice(end + 1)];
}

/** The name of a file, with a number if the name is taken: `data-2.csv`. */
function freeName(file: string, isTaken: (name: string) => boolean): string {
  const [, stem, end] = /^(.+?)(\.[^.]*)?$/s.exec(file) ?? ['', file, ''];
  let name = file;
  for (let at = 2; isTaken(name); at += 1) name = `${stem}-${at}${end ?? ''}`;
  return name;
}

/** The size of files whose contents are in Base64, in bytes. */
function sizeOf(files: readonly [string, string][]): number {
  return files.reduce((sum, [, content]) => sum + (content.length * 3) / 4, 0);
}

function tooLarge(file: string, field: string): ForayError {
  const setting = pathOfField(field);
  const most = MOST_FILES / 1024 ** 2;
  return new ForayError(
    'INVALID_VALUE',
    `${quoted(file)} is too large: the files of a form may have ${most} MiB together.`,
    {
      place: { file: DEFINITION, path: setting.join('.'), setting },
      hint: 'Use the command line: "foray submit" has no such limit.',
    },
  );
}

/** Checks a text that the page writes. @throws ServerError TOO_LARGE */
export function checkLength(text: string): void {
  if (text.length > MOST_ON_PAGE)
    throw new ServerError(
      'TOO_LARGE',
      `A definition may have at most ${MOST_ON_PAGE.toLocaleString('en-US')} characters on this page, and so may the fields of a form together.`,
      { hint: 'Put the points of a large design into a point file, or use the command line.' },
    );
}

/** The text of a field with the line ends `\n`. Forms send `\r\n`. */
export function withUnixLines(text: string | null): string {
  return (text ?? '').replaceAll('\r\n', '\n');
}
