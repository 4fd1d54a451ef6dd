import { standalone } from '../../report/figures/figure.ts';
import type { ReportChoice } from '../../report/of-campaign.ts';
import { ServerError } from '../problems.ts';
import type { Handlers } from './call.ts';
import { tagOfResults } from './etag.ts';
import { type KeptFiles, sendFile } from './kept-files.ts';

/** A browser that opens a picture by its address runs no scripts and loads nothing else. */
const PICTURE_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'";

/** The endpoints of reports and their pictures. */
export function reportHandlers(files: KeptFiles): Handlers<'getReport' | 'listFigures' | 'getFigure'> {
  return {
    async getReport({ params, query, reply }, { foray }) {
      // this module is loaded only when needed, because loading the plotting library takes a moment
      const { reportOf } = await import('../../report/of-campaign.ts');
      const page = await reportOf(foray, params.id, choiceOf(query));
      return reply
        .header('content-security-policy', 'sandbox')
        .header('content-disposition', `attachment; filename="${params.id}.html"`)
        .type('text/html; charset=utf-8')
        .send(page);
    },

    async listFigures({ params, query }, { foray }) {
      const { picturesOf } = await import('../../report/of-campaign.ts');
      const pictures = await picturesOf(foray, params.id, choiceOf(query));
      return Array.from(pictures, ([name, { title }]) => ({ name, title }));
    },

    async getFigure({ params, query, request, reply }, { foray }) {
      const { id, figure } = params;
      const choice = choiceOf(query);
      const tag = await tagOfResults(foray, id, ['figure', figure, query]);
      const file = await files.get(tag, async function* () {
        const { picturesOf } = await import('../../report/of-campaign.ts');
        const pictures = await picturesOf(foray, id, choice);
        const picture = pictures.get(figure);
        if (!picture) throw unknownFigure(id, figure, [...pictures.keys()]);
        yield Buffer.from(standalone(picture));
      });
      void reply.type('image/svg+xml; charset=utf-8').header('content-security-policy', PICTURE_POLICY);
      return sendFile(request, reply, file);
    },
  };
}

interface Query {
  show?: string[] | undefined;
  maximize?: string | undefined;
  minimize?: string | undefined;
}

/** @throws ServerError BAD_REQUEST if parameters exclude each other */
function choiceOf({ show, maximize, minimize }: Query): ReportChoice {
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
