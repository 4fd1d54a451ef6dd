import { MIMEType } from 'node:util';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ServerError } from './server-error.ts';

/** The maximum number of controls in a form. The server's thread reads all of them. */
const MOST_CONTROLS = 20_000;

/** Gives routes the body of a form as its controls. */
export function acceptForms(app: FastifyInstance): void {
  app.addContentTypeParser<string>(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => {
      if (hasTooMany(body, '&')) done(tooManyControls());
      else done(null, new URLSearchParams(body));
    },
  );
  app.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer' },
    ({ headers }: FastifyRequest, body: Buffer) => controlsIn(headers['content-type']!, body),
  );
}

/**
 * The controls of a form with files. A file is a text: its name, a colon, and its content in Base64, because forms may
 * change the ends of lines.
 */
async function controlsIn(type: string, body: Buffer): Promise<URLSearchParams> {
  const boundary = boundaryOf(type);
  if (!boundary) throw notAForm();
  if (hasTooMany(body, `--${boundary}`)) throw tooManyControls();
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } })
    .formData()
    .catch(() => {
      throw notAForm();
    });
  const controls = new URLSearchParams();
  for (const [name, value] of form) {
    if (typeof value === 'string') controls.append(name, value);
    else if (value.name !== '')
      controls.append(name, `${value.name}:${Buffer.from(await value.arrayBuffer()).toString('base64')}`);
  }
  return controls;
}

/** What stands between the controls of a form, as the standard that reads the form says; null without it. */
function boundaryOf(type: string): string | null {
  try {
    return new MIMEType(type).params.get('boundary');
  } catch {
    return null;
  }
}

/** Whether a form has more controls than the server takes, by what stands between them. */
function hasTooMany(body: string | Buffer, between: string): boolean {
  let count = 0;
  for (let at = body.indexOf(between); at !== -1; at = body.indexOf(between, at + between.length)) {
    count += 1;
    if (count > MOST_CONTROLS) return true;
  }
  return false;
}

function notAForm(): ServerError {
  return new ServerError('BAD_REQUEST', 'The body is not a form.');
}

function tooManyControls(): ServerError {
  return new ServerError(
    'TOO_LARGE',
    `The form has more than ${MOST_CONTROLS.toLocaleString('en-US')} controls.`,
    { hint: 'Use the command line: "foray submit" has no such limit.' },
  );
}
