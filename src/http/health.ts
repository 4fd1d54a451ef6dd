import { serveBeside, type SideAnswer, type SideServer } from './side-server.ts';

/** What a process needs to work, by name. Each check says why the process cannot use it; undefined if it can. */
export type Needs = Readonly<Record<string, () => Promise<string | undefined>>>;

/** A check that takes longer has failed, ms. Programs that ask have a time limit of a few seconds themselves. */
const PATIENCE = 2_500;
const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Serves `/health`, which answers as long as the process works, and `/ready`, which answers 200 if the process has all
 * that it needs, and 503 otherwise. The body of both is `{healthy, parts: [{part, state, message}]}`, as that of
 * `foray doctor --json`. Programs that restart processes ask for `/health`: a process that waits for Temporal is not
 * ready, and a restart would not help.
 *
 * @throws ForayError PORT_IN_USE
 */
export function serveHealth(address: { host: string; port: number }, needs: Needs): Promise<SideServer> {
  return serveBeside(address, '--health', {
    '/health': () => Promise.resolve(answerOf([])),
    '/ready': readiness(needs),
  });
}

/** Answers whether a process has all that it needs. Requests that come during a check share its answer. */
export function readiness(needs: Needs): () => Promise<SideAnswer> {
  let answering: Promise<SideAnswer> | undefined;
  const answer = async (): Promise<SideAnswer> =>
    answerOf(await Promise.all(Object.entries(needs).map(([part, check]) => stateOf(part, check))));
  return () =>
    (answering ??= answer().finally(() => {
      answering = undefined;
    }));
}

interface PartState {
  part: string;
  state: 'ok' | 'failed';
  message: string;
}

async function stateOf(part: string, check: () => Promise<string | undefined>): Promise<PartState> {
  const late = Promise.withResolvers<string>();
  const timer = setTimeout(() => late.resolve('It does not answer.'), PATIENCE);
  try {
    // the text of an error may name an address with its password, so only the checks themselves give reasons
    const why = await Promise.race([check().catch(() => 'It cannot be used.'), late.promise]);
    return { part, state: why === undefined ? 'ok' : 'failed', message: why ?? '' };
  } finally {
    clearTimeout(timer);
  }
}

function answerOf(parts: readonly PartState[]): SideAnswer {
  const healthy = parts.every(({ state }) => state === 'ok');
  return { status: healthy ? 200 : 503, type: JSON_TYPE, text: `${JSON.stringify({ healthy, parts })}\n` };
}
