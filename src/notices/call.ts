import { createHmac } from 'node:crypto';
import { tmpdir } from 'node:os';
import type { NoticeMessage } from '../campaign/notice.ts';
import { retryAfterMs } from '../cloud/retry-after.ts';
import { environmentForOthers } from '../system/environment-for-others.ts';
import { LineProgram } from '../system/line-program.ts';
import { type Notice, secretBytes } from './file.ts';

/** How long a webhook may take to answer, ms. */
const ANSWER_MS = 15_000;
/** How long a command may run, ms. */
const COMMAND_MS = 60_000;

export interface Failed {
  /** Why a call has failed, as the rest of a sentence. */
  why: string;
  /** How long the receiver asked to wait, ms; 0 if it did not ask. */
  retryAfter: number;
}

/**
 * Calls the webhook or the command of a notice. The reason of a failure has neither the address nor anything that a
 * receiver or a command wrote, because these may contain a secret.
 *
 * @param signal - ends the call
 * @returns undefined if the receiver has taken the message
 * @throws the reason of the signal
 */
export function callNotice(
  notice: Notice,
  message: NoticeMessage,
  signal: AbortSignal,
): Promise<Failed | undefined> {
  const { url, command, secret } = notice;
  return url === undefined ? run(command!, message, signal) : post(url, secret, message, signal);
}

/**
 * Posts the message, signed as in Standard Webhooks 1.0.0. A redirect is not followed: only the operator says which
 * addresses a worker calls.
 */
async function post(
  url: string,
  secret: string | undefined,
  message: NoticeMessage,
  signal: AbortSignal,
): Promise<Failed | undefined> {
  const body = JSON.stringify(message);
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'foray',
    'webhook-id': message.id,
    'webhook-timestamp': timestamp,
    ...(secret !== undefined && { 'webhook-signature': signatureOf(secret, message.id, timestamp, body) }),
  };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]);
  try {
    const answer = await fetch(url, { method: 'POST', body, headers, redirect: 'manual', signal: limit });
    await answer.body?.cancel();
    if (answer.ok) return undefined;
    const retryAfter = retryAfterMs(answer.headers.get('retry-after') ?? undefined, Date.now());
    return { why: `was answered with status ${answer.status}`, retryAfter };
  } catch (error) {
    signal.throwIfAborted();
    return { why: `got no answer (${reasonOf(error)})`, retryAfter: 0 };
  }
}

/** The signature of Standard Webhooks: HMAC-SHA256 over id, time (s since 1970) and body. */
export function signatureOf(secret: string, id: string, timestamp: string, body: string): string {
  const hmac = createHmac('sha256', secretBytes(secret)).update(`${id}.${timestamp}.${body}`);
  return `v1,${hmac.digest('base64')}`;
}

/** The code of a failed request. The message of the error may contain the address. */
function reasonOf(error: unknown): string {
  const { name, cause } = error as Error;
  const code = (cause as { code?: unknown } | undefined)?.code;
  if (typeof code === 'string') return code;
  return name === 'TimeoutError' ? `no answer in ${ANSWER_MS / 1_000} s` : 'the request failed';
}

/** Runs the command with the message on its standard input. What the command prints is not kept. */
async function run(
  command: readonly string[],
  message: NoticeMessage,
  signal: AbortSignal,
): Promise<Failed | undefined> {
  signal.throwIfAborted();
  const ignore = (): void => {};
  // `leadsGroup`: the processes that the command starts end with it
  const program = new LineProgram(
    { command, folder: tmpdir(), environment: environmentForOthers(), leadsGroup: true },
    { stdout: ignore, stderr: ignore },
  );
  const limit = AbortSignal.any([signal, AbortSignal.timeout(COMMAND_MS)]);
  const kill = (): void => program.kill();
  limit.addEventListener('abort', kill, { once: true });
  try {
    await program.started;
    program.write(`${JSON.stringify(message)}\n`);
    program.endInput();
    const { code, signal: killedBy } = await program.exit;
    signal.throwIfAborted();
    if (code === 0) return undefined;
    // `signal` has not ended the command, so only the time limit can have done it
    const why = limit.aborted ? `took longer than ${COMMAND_MS / 1_000} s` : `ended with ${code ?? killedBy}`;
    return { why, retryAfter: 0 };
  } catch (error) {
    signal.throwIfAborted();
    return { why: `does not start (${(error as NodeJS.ErrnoException).code})`, retryAfter: 0 };
  } finally {
    limit.removeEventListener('abort', kill);
  }
}
