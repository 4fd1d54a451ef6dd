import type { FastifyInstance, FastifyReply } from 'fastify';
import { stringify } from 'yaml';
import { chosenIn, pathOfField } from '../../campaign/form/fields.ts';
import { type Form, OBSERVED, type PostedForm } from '../../campaign/form/form.ts';
import { campaignName } from '../../campaign/definition.ts';
import { ForayError, isForayError } from '../../errors.ts';
import type { Markup } from '../../report/html/markup.ts';
import { quoted } from '../../text/suggest.ts';
import { etagOf } from '../api/etag.ts';
import { DEFINITION } from '../jobs/with-definition.ts';
import { goneSignal } from '../gone.ts';
import { problemOf } from '../problems.ts';
import { ServerError } from '../server-error.ts';
import type { ServerParts } from '../server-parts.ts';
import { shareOfBodies } from '../shares.ts';
import { CHANGE_MS } from '../in-turn.ts';
import {
  campaignForm,
  definitionPage,
  differencePage,
  formModelOf,
  type NewCampaign,
  newPage,
  planAnswer,
} from './definition.ts';
import { MOST_FILES, MOST_ON_PAGE, UPLOAD } from './form-parts.ts';
import { CONTROL, MODEL } from './form.ts';
import { fieldsOf, pathOfCampaign, sendPage } from './layout.ts';
import { TAKEN } from './page-parts.ts';
import { mistakesIn } from './problem.ts';
import { reasonOf } from './verbs.ts';

const read = { config: { role: 'read' } } as const;
const steer = { config: { role: 'steer' } } as const;
/** The largest form, in bytes: a new file, the earlier files in Base64, and the texts. */
const MOST_FORM = 24 * 1024 ** 2;

/**
 * The routes for starting and changing campaigns. A page shows the mistakes of a definition above the definition, with
 * links to the lines.
 */
export function addDefinitions(app: FastifyInstance, parts: ServerParts): void {
  const { foray, models, reachability, inTurn, jobs, shares } = parts;
  const onRequest = shareOfBodies(shares);

  app.get<{ Params: { id: string } }>('/campaigns/:id/definition', read, async (request, reply) =>
    sendPage(request, reply, definitionPage(request, await foray.record(request.params.id))),
  );

  app.post<{ Params: { id: string } }>(
    '/campaigns/:id/definition',
    { ...steer, onRequest },
    async (request, reply) => {
      const { id } = request.params;
      const fields = fieldsOf(request);
      const text = withUnixLines(fields.get('definition'));
      checkLength(text);
      const change = async (): Promise<FastifyReply> => {
        const record = await foray.record(id);
        const etag = fields.get('etag') ?? '';
        const isOvertaken = etag !== etagOf(record.definition);
        try {
          await reachability.waitFor('service');
          if (isOvertaken || fields.get('do') !== 'apply') {
            const takes = { sent: definitionOf(text), id };
            const difference = await jobs.run(request.keyHash!, 'difference', takes, goneSignal(reply));
            const page = differencePage(request, record, text, difference, isOvertaken);
            return sendPage(request, isOvertaken ? reply.code(409) : reply, page);
          }
          await reachability.waitFor('temporal');
          const takes = { sent: definitionOf(text), id, reason: reasonOf(request) };
          await foray.sendChange(id, await jobs.run(request.keyHash!, 'change', takes), CHANGE_MS);
          return reply.redirect(`${pathOfCampaign(id)}${TAKEN}`, 303);
        } catch (error) {
          const message = mistakesIn(error);
          const { status } = problemOf(error);
          const page = definitionPage(request, record, { text, etag, message });
          // 202: the change is on its way, and no worker has made it yet
          return sendPage(request, reply.code(status === 202 ? status : 422), page);
        }
      };
      return inTurn(id, change);
    },
  );

  app.get<{ Querystring: { model?: string; from?: string; way?: string } }>(
    '/new',
    steer,
    async (request, reply) => {
      const { model: name, from, way } = request.query;
      const known = await knownModels();
      const text =
        from === undefined ? firstText(name ?? known[0]?.name) : (await foray.record(from)).definition;
      if (name !== undefined) await models.one(name);
      checkLength(text);
      const posted = { text, was: text, fields: new Map<string, string>() };
      const form = { posted, way, id: '', token: crypto.randomUUID(), files: {}, doing: '', mistakes: [] };
      return sendPage(request, reply, newPage(await shownFor(reply, form)));
    },
  );

  // a browser without scripts sends the whole form, and gets it back unless the campaign starts
  app.post('/new', { ...steer, onRequest, bodyLimit: MOST_FORM }, async (request, reply) => {
    const form = sentIn(fieldsOf(request));
    const shown = await shownFor(reply, form);
    if (form.doing !== 'start' || shown.isWrong)
      return sendPage(request, shown.isWrong ? reply.code(422) : reply, newPage(shown, true));
    try {
      await reachability.waitFor('service', 'temporal');
      const options = {
        sent: definitionOf(shown.form.text, form.files),
        owner: request.access!.name,
        // a second click on the button starts nothing else, but a changed form does
        ...(form.token !== '' && { token: [form.token, shown.form.text, ...shown.contents].join('\n') }),
        ...(form.id !== '' && { id: form.id }),
      };
      const submitted = await jobs.run(request.keyHash!, 'submit', options);
      return reply.redirect(`${pathOfCampaign(submitted.id)}${TAKEN}`, 303);
    } catch (error) {
      return sendPage(request, reply.code(422), newPage({ ...shown, ...faultsOf(error) }, true));
    }
  });

  // the script of the page sends the form while a person changes it
  app.post('/new/form', { ...steer, onRequest, bodyLimit: MOST_FORM }, async (request, reply) => {
    const shown = await shownFor(reply, sentIn(fieldsOf(request)));
    return reply.type('text/html; charset=utf-8').send(campaignForm(shown).text);
  });

  async function knownModels(): Promise<readonly { name: string }[]> {
    return (await models.all().catch(noneKnown)) ?? [];
  }

  /** Brings the fields and the text of a form together, and plans the campaign if the form asks for it. */
  async function shownFor(reply: FastifyReply, given: SentForm): Promise<NewCampaign> {
    const { posted, way, id, token, files, doing, mistakes } = given;
    const keyHash = reply.request.keyHash!;
    const gone = goneSignal(reply);
    const all = await knownModels();
    const contents = Object.entries(files).map(([name, content]) => `${name}:${content}`);
    const nameBefore = posted.fields.get(MODEL) ?? '';
    let model = nameBefore === '' ? undefined : await models.one(nameBefore).catch(noneKnown);
    let form: Form = { ...posted, notShown: [], model: nameBefore };
    /** Whether the definition could be read, so that the fields have the chosen way. */
    let isRead = false;
    let result: Said = { message: undefined, mistakes, isWrong: mistakes.length > 0 };
    const planned = async (text: string): Promise<Markup> => {
      const plan = () => jobs.run(keyHash, 'plan', { sent: definitionOf(text, files) }, gone);
      return planAnswer(await reachability.whileThere(plan));
    };
    try {
      form = await jobs.run(keyHash, 'form', { model: formModelOf(model), posted, way }, gone);
      if (form.model !== nameBefore && form.model !== '') {
        // the form is new, or a person has changed the model in the text
        model = await models.one(form.model).catch(noneKnown);
        const { text } = form;
        const again = { text, was: text, fields: new Map<string, string>() };
        form = await jobs.run(keyHash, 'form', { model: formModelOf(model), posted: again }, gone);
      }
      isRead = true;
      if (doing === 'plan' && !result.isWrong) result = { ...result, message: await planned(form.text) };
    } catch (error) {
      result = faultsOf(error);
    }
    return { form, way: isRead ? undefined : way, model, models: all, id, token, contents, ...result };
  }
}

type Files = Readonly<Record<string, string>>;
type Said = Pick<NewCampaign, 'message' | 'mistakes' | 'isWrong'>;

/** A form as a browser sends it. */
interface SentForm {
  posted: PostedForm;
  way: string | undefined;
  id: string;
  /** {@link NewCampaign.token}; empty if a program sends the form. */
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

/** A file in a form: its name, a colon, and its content in Base64. */
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

/** @throws ServerError TOO_LARGE */
function checkLength(text: string): void {
  if (text.length > MOST_ON_PAGE)
    throw new ServerError(
      'TOO_LARGE',
      `A definition may have at most ${MOST_ON_PAGE.toLocaleString('en-US')} characters on this page, and so may the fields of a form together.`,
      { hint: 'Put the points of a large design into a point file, or use the command line.' },
    );
}

/** The first text of a definition. */
function firstText(model: string | undefined): string {
  return model === undefined ? '' : stringify({ campaign: campaignName(model), model: { name: model } });
}

/** A service that does not answer, or does not have a model, must not take a form away. @throws any other error */
function noneKnown(error: unknown): undefined {
  if (!isForayError(error)) throw error;
}

/** What is wrong with a form. @throws any error that is neither a ForayError nor a ServerError */
function faultsOf(error: unknown): Said {
  return isForayError(error) && error.place !== undefined
    ? { message: undefined, mistakes: [error.with([]), ...error.others], isWrong: true }
    : { message: mistakesIn(error), mistakes: [], isWrong: true };
}

/** @throws ServerError BAD_REQUEST for an empty text */
function definitionOf(text: string, files: Files = {}): { text: string; files: Files } {
  if (text.trim() === '') throw new ServerError('BAD_REQUEST', 'The form has no definition.');
  return { text, files };
}

/** The text of a field with the line ends `\n`. Forms send `\r\n`. */
function withUnixLines(text: string | null): string {
  return (text ?? '').replaceAll('\r\n', '\n');
}
