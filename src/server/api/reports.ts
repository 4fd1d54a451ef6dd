import { readFile } from 'node:fs/promises';
import type { ReportChoice } from '../../report/of-campaign.ts';
import type { FigureFile } from '../jobs/answers.ts';
import { goneSignal } from '../gone.ts';
import { ServerError } from '../problems.ts';
import type { ServerParts } from '../server-parts.ts';
import type { Call, Handlers } from './call.ts';
import type { endpoints } from './endpoints.ts';
import { etagOf, hasTag, tagOfResults } from './etag.ts';
import { saved } from './saved.ts';
import { type KeptFile, type KeptFiles, sendFile } from './kept-files.ts';

/** A browser that opens a picture by its address runs no scripts and loads nothing else. */
const PICTURE_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'";

/** The endpoints of reports and their pictures. They are drawn once, until a result of the campaign changes. */
export function reportHandlers(files: KeptFiles): Handlers<'getReport' | 'listFigures' | 'getFigure'> {
  const drawn = async (
    what: 'report' | 'figures',
    {
      params: { id },
      query,
      request,
      reply,
    }: Pick<Call<typeof endpoints.getReport>, 'params' | 'query' | 'request' | 'reply'>,
    { foray, answers }: ServerParts,
  ): Promise<KeptFile> => {
    const choice = choiceOf(query);
    const tag = await tagOfResults(foray, id, [what, query]);
    return files.get(
      tag,
      (path, gone) => answers.run(request.keyHash!, what, { id, choice, path }, gone),
      goneSignal(reply),
    );
  };
  const figuresOf = async (...of: [Parameters<typeof drawn>[1], ServerParts]): Promise<FigureFile[]> => {
    const { path } = await drawn('figures', ...of);
    return JSON.parse(await readFile(path, 'utf8')) as FigureFile[];
  };
  return {
    async getReport(call, server) {
      const { params, request, reply } = call;
      const file = await drawn('report', call, server);
      saved(reply, params.id, 'report.html')
        .header('content-security-policy', 'sandbox')
        .type('text/html; charset=utf-8');
      return sendFile(request, reply, file);
    },

    async listFigures(call, server) {
      return (await figuresOf(call, server)).map(({ name, title }) => ({ name, title }));
    },

    async getFigure(call, server) {
      const { params, request, reply } = call;
      const { id, figure } = params;
      const figures = await figuresOf(call, server);
      const found = figures.find(({ name }) => name === figure);
      if (!found)
        throw unknownFigure(
          id,
          figure,
          figures.map(({ name }) => name),
        );
      const etag = etagOf(found.svg);
      void reply.headers({ etag, 'cache-control': 'no-cache' });
      const known = request.headers['if-none-match'];
      if (known !== undefined && hasTag(known, etag)) return reply.code(304).send();
      return reply
        .type('image/svg+xml; charset=utf-8')
        .header('content-security-policy', PICTURE_POLICY)
        .send(found.svg);
    },
  };
}

interface ReportQuery {
  show?: string[] | undefined;
  maximize?: string | undefined;
  minimize?: string | undefined;
}

/** @throws ServerError BAD_REQUEST if parameters exclude each other */
function choiceOf({ show, maximize, minimize }: ReportQuery): ReportChoice {
  if (maximize !== undefined && minimize !== undefined)
    throw new ServerError('BAD_REQUEST', 'Give either maximize or minimize.');
  if (maximize !== undefined) return { show, goal: { output: maximize, wants: 'highest' } };
  return { show, goal: minimize === undefined ? undefined : { output: minimize, wants: 'lowest' } };
}

function unknownFigure(id: string, figure: string, names: readonly string[]): ServerError {
  return new ServerError('UNKNOWN_FIGURE', `The report of "${id}" has no figure "${figure}".`, {
    hint:
      names.length === 0
        ? 'The report has no figure yet.'
        : `The report has ${names.map((name) => `"${name}"`).join(', ')}.`,
  });
}
