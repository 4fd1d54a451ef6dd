import { PassThrough, Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { isClosed } from '../../client/status.ts';
import { resultTable } from '../../report/index.ts';
import { jsonl } from '../../report/formats/jsonl.ts';
import { goneSignal, whenGone } from '../gone.ts';
import { problemOf } from '../problems.ts';
import type { ServerParts } from '../server-parts.ts';
import type { Handlers } from './call.ts';

/** The interval between comments, ms. Clients ignore them, but proxies keep the connection open. */
const BEAT = 15_000;
/** The pause between two statuses, ms. */
const EVERY = 1_000;

export const eventHandlers = {
  async events({ params, query, reply, request }, server) {
    // an unknown campaign gets the usual error
    await server.foray.record(params.id);
    void reply.type('text/event-stream; charset=utf-8').header('cache-control', 'no-store');
    if (request.method === 'HEAD') return reply.send(Readable.from([]));
    whenGone(reply, server.shares.take('streams', request.keyHash!));
    const gone = goneSignal(reply);
    const events = new PassThrough();
    // resolves when the client can take more
    const send = (text: string): Promise<void> | undefined => {
      if (events.destroyed || events.write(text)) return undefined;
      return new Promise((resolve) => {
        events.once('drain', resolve);
        events.once('close', resolve);
      });
    };
    const beat = setInterval(() => void send(': still here\n\n'), BEAT).unref();
    void tell(server, params.id, query.runs, send, gone)
      .catch((error: unknown) => send(event('problem', JSON.stringify(problemOf(error)))))
      .finally(() => {
        clearInterval(beat);
        events.end();
      });
    return reply.send(events);
  },
} satisfies Partial<Handlers>;

async function tell(
  { foray, statuses }: ServerParts,
  id: string,
  withRuns: boolean,
  send: (text: string) => Promise<void> | undefined,
  gone: AbortSignal,
): Promise<void> {
  const progress = async (): Promise<void> => {
    while (!gone.aborted) {
      const status = await statuses.recent(id);
      await send(event('status', JSON.stringify(status)));
      if (isClosed(status)) return;
      await delay(EVERY, undefined, { signal: gone }).catch(() => undefined);
    }
  };
  const runs = async (): Promise<void> => {
    if (!withRuns) return;
    const { record, rows } = await foray.results(id, { follow: true, signal: gone });
    for await (const text of jsonl(resultTable(record.campaign, rows, { all: true }))) {
      for (const line of text.split('\n')) if (line !== '') await send(event('run', line));
    }
  };
  await Promise.all([progress(), runs()]);
  if (!gone.aborted) await send(event('end', JSON.stringify(await statuses.recent(id))));
}

function event(name: string, data: string): string {
  return `event: ${name}\ndata: ${data}\n\n`;
}
