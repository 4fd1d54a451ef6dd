import { readFile } from 'node:fs/promises';
import type { ReportChoice } from '../../report/of-campaign.ts';
import type { FigureFile } from '../jobs/answers.ts';
import { goneSignal } from '../gone.ts';
import { ServerError } from '../server-error.ts';
import type { ServerParts } from '../server-parts.ts';
import type { Call, Handlers } from './call.ts';
import type { endpoints } from './endpoints.ts';
import { etagOf, hasTag, tagOfResults } from './etag.ts';
import { saveAs } from './save-as.ts';
import { type KeptFile, type KeptFiles, sendFile } from './kept-files.ts';

/** With this policy, a browser that opens a picture by its address runs no scripts and loads nothing else. */
const PICTURE_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'";

/** What the calls of all endpoints of reports have. */
type ReportCall = Pick<Call<typeof endpoints.getReport>, 'params' | 'query' | 'request' | 'reply'>;

/**
 * The endpoints of reports and their pictures. A report that was drawn is kept for the next requests, until a result of
 * the campaign changes.
 */
export function reportHandlers(files: KeptFiles) {
  const drawn = async (
    what: 'report' | 'figures',
    { params: { id }, query, request, reply }: ReportCall,
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
  const figuresOf = async (call: ReportCall, server: ServerParts): Promise<FigureFile[]> => {
    const { path } = await drawn('figures', call, server);
    return JSON.parse(await readFile(path, 'utf8')) as FigureFile[];
  };
  return {
    async getReport(call, server) {
      const { params, request, reply } = call;
      const file = await drawn('report', call, server);
      saveAs(reply, params.id, 'report.html')
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
      if (!found) throw unknownFigure(id, figure, figures);
      const etag = etagOf(found.svg);
      void reply.headers({ etag, 'cache-control': 'no-cache' });
      if (hasTag(request.headers['if-none-match'], etag)) return reply.code(304).send();
      return reply
        .type('image/svg+xml; charset=utf-8')
        .header('content-security-policy', PICTURE_POLICY)
        .send(found.svg);
    },
  } satisfies Partial<Handlers>;
}

/** @throws ServerError BAD_REQUEST if parameters exclude each other */
function choiceOf({ show, maximize, minimize }: ReportCall['query']): ReportChoice {
  if (maximize !== undefined && minimize !== undefined)
    throw new ServerError('BAD_REQUEST', 'Give either maximize or minimize.');
  if (maximize !== undefined) return { show, goal: { output: maximize, wants: 'highest' } };
  if (minimize !== undefined) return { show, goal: { output: minimize, wants: 'lowest' } };
  return { show };
}

function unknownFigure(id: string, figure: string, figures: readonly FigureFile[]): ServerError {
  return new ServerError('UNKNOWN_FIGURE', `The report of "${id}" has no figure "${figure}".`, {
    hint:
      figures.length === 0
        ? 'The report has no figure yet.'
        : `The report has ${figures.map(({ name }) => `"${name}"`).join(', ')}.`,
  });
}
