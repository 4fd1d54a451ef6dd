import type { Report } from '../fleet/protocol.ts';
import type { ClaimedRun, Ending, Feed } from '../runs/feed.ts';
import type { FleetClient } from './fleet-client.ts';

/** The approximate limit for outputs and logs in one report, in bytes. */
const MOST_REPORTED = 8 * 2 ** 20;
/** The limit for the outputs and the log of one run, in bytes. The service accepts only slightly larger reports. */
const MOST_OUTPUTS = 60 * 2 ** 20;

export interface HttpFeedParts {
  client: FleetClient;
  holder: string;
  /** The labels of this executor. */
  has: readonly string[];
}

/** The access of a holder, which claims and reports runs, to the queue of a service on another machine. */
export class HttpFeed implements Feed {
  readonly #parts: HttpFeedParts;
  readonly #shares = new Map<string, number>();
  #onEnded: (runIds: readonly string[]) => void = () => {};

  constructor(parts: HttpFeedParts) {
    this.#parts = parts;
  }

  claim(most: number, without: readonly string[]): Promise<ClaimedRun[]> {
    const { client, holder, has } = this.#parts;
    return client.claim({ holder, has: [...has], most, without: [...without] });
  }

  async report(endings: readonly Ending[]): Promise<void> {
    const { client, holder } = this.#parts;
    for (const part of inParts(endings)) await client.report({ holder, endings: part });
    for (const { runId } of endings) this.#shares.delete(runId);
  }

  progress(runId: string, fraction: number): void {
    this.#shares.set(runId, fraction);
  }

  whenEnded(callback: (runIds: readonly string[]) => void): void {
    this.#onEnded = callback;
  }

  /** Reports the held runs and their finished shares. The answer lists runs that must not be executed any more. */
  async beat(runIds: readonly string[]): Promise<void> {
    const held = Object.fromEntries(runIds.map((runId) => [runId, this.#shares.get(runId) ?? 0]));
    const { ended } = await this.#parts.client.beat({ holder: this.#parts.holder, held });
    for (const runId of ended) this.#shares.delete(runId);
    if (ended.length > 0) this.#onEnded(ended);
  }
}

function* inParts(endings: readonly Ending[]): Generator<Report['endings']> {
  let part: Report['endings'] = [];
  let size = 0;
  for (const whole of endings) {
    // only animated runs are reported as stopped, and only the service itself executes animated runs
    if (whole.status === 'STOPPED') continue;
    const bytes = Buffer.byteLength(JSON.stringify(whole));
    const isTooLarge = bytes > MOST_OUTPUTS;
    const ending = isTooLarge ? tooLarge(whole.runId, bytes) : whole;
    const counted = isTooLarge ? 0 : bytes;
    if (size + counted > MOST_REPORTED && part.length > 0) {
      yield part;
      [part, size] = [[], 0];
    }
    part.push(ending);
    size += counted;
  }
  if (part.length > 0) yield part;
}

/**
 * The end of a run whose outputs are too large for a report. The run fails, because no other executor on another
 * machine could report them.
 */
function tooLarge(runId: string, bytes: number): Report['endings'][number] {
  const [size, most] = [bytes, MOST_OUTPUTS].map((number) => Math.round(number / 2 ** 20));
  const reason = `its outputs have ${size} MB, and an executor on another machine reports at most ${most} MB: write large values to an output file`;
  return { runId, status: 'FAILED', reason };
}
