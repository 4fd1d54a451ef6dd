import { asksForMore } from '../campaign/asks-for-more.ts';
import { finishedPercent, precisionText, runsText } from '../campaign/precise-points.ts';
import { closedPhases } from '../campaign/types.ts';
import type { CampaignStatus } from '../client/index.ts';
import { SAME_TIME_MS } from '../cloud/index.ts';
import { counted } from '../report/index.ts';
import { bounded, printableLine } from '../text/printable.ts';
import { commandName } from './command-name.ts';
import { isTerminal } from './output.ts';

/** The progress of a campaign in one line. */
export function progressText(status: CampaignStatus): string {
  const { phase, runs, precision, rate, secondsLeft } = status;
  if (phase === 'preparing') return '[  0%] preparing';
  const finished = runs.done + runs.failed;
  const mayGrow = asksForMore(status);
  const percent = mayGrow ? '…' : String(finishedPercent(status));
  const counts = [
    `${runs.new} new`,
    `${runs.reused} reused`,
    `${runs.failed} failed`,
    `${runs.running} running`,
    `${runs.queued} queued`,
    `${runs.waiting} waiting`,
  ];
  const isRunning = phase === 'running';
  const speed = isRunning && rate ? `, ${rate.toFixed(1)} runs a second` : '';
  const left = isRunning && secondsLeft !== null ? `, ${duration(secondsLeft)} left` : '';
  const far = precision
    ? `${precisionText(precision, status.points)}, ${runsText(precision, finished)}`
    : `${finished} of ${runs.total}${mayGrow ? ' so far' : ''}`;
  return `[${percent.padStart(3)}%] ${phase}: ${far}: ${counts.join(', ')}${speed}${left}`;
}

/** The progress with remarks. If the campaign cannot continue, the reason comes first. */
export function statusText(status: CampaignStatus): string {
  const blocked = status.blocked === null ? '' : `${blockedText(status.blocked)} `;
  return `${blocked}${progressText(status)}${status.note ? ` (${printableLine(status.note)})` : ''}`;
}

/** Why a campaign cannot continue, as a sentence. */
export function blockedText(why: string): string {
  return `Cannot continue: ${shortReason(why).replace(/\.$/, '')}.`;
}

const LONGEST_SHOWN = 300;

/** A reason in one line that is not long. A model or a service may give a reason of many lines. --json has all of it. */
export function shortReason(reason: string): string {
  return bounded(printableLine(reason), LONGEST_SHOWN);
}

/**
 * What to do about failed runs, and about the missing runs of a closed campaign, in one line; undefined when there are
 * none.
 */
export function retryAdvice({
  id,
  phase,
  runs: { failed, waiting },
}: Pick<CampaignStatus, 'id' | 'phase' | 'runs'>): string | undefined {
  const missing = closedPhases.includes(phase) ? waiting : 0;
  const name = commandName();
  if (failed > 0) {
    const also = missing > 0 ? `, and requests ${counted(missing, 'missing run')}` : '';
    return `${counted(failed, 'run')} failed. "${name} status ${id} --failures" lists the causes and points, "${name} explain ${id} POINT" explains a point, and "${name} retry ${id}" requests failed runs again${also}.`;
  }
  if (missing === 0) return undefined;
  return `The campaign ended without ${counted(missing, 'run')}. "${name} retry ${id}" requests ${missing === 1 ? 'it' : 'them'}.`;
}

/** Seconds in words: 42 s, 3 min 10 s, 2 h 5 min. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
}

/**
 * The time since something in words, such as "42 s ago" or "for 42 s". Another machine may have written its time, so a
 * time in the future means that the clocks of the machines differ.
 *
 * @param ms - the time since then, ms
 */
export function ageText(ms: number, how: 'ago' | 'for'): string {
  if (ms < -SAME_TIME_MS) return `clocks differ by ${duration(-ms / 1_000)} or more, so set them (NTP)`;
  const age = duration(Math.max(0, ms) / 1_000);
  return how === 'ago' ? `${age} ago` : `for ${age}`;
}

/** Shortest time between two lines when standard error is not a terminal. */
const PLAIN_EVERY_MS = 5_000;

/**
 * A line on standard error. In a terminal, the line is rewritten in place. Elsewhere, plain lines are printed from time
 * to time.
 */
export class ProgressLine {
  readonly #stream = process.stderr;
  readonly #isRewritten = isTerminal(this.#stream);
  #shown = '';
  #shownAt = 0;

  update(text: string): void {
    const line = printableLine(text);
    if (line === this.#shown) return;
    if (this.#isRewritten) {
      this.#stream.write(`\r\x1b[2K${line.slice(0, this.#stream.columns - 1)}`);
    } else {
      if (Date.now() - this.#shownAt < PLAIN_EVERY_MS) return;
      this.#stream.write(`${line}\n`);
    }
    this.#shown = line;
    this.#shownAt = Date.now();
  }

  /** Removes the line from a terminal. */
  clear(): void {
    if (this.#isRewritten && this.#shown !== '') this.#stream.write('\r\x1b[2K');
  }

  /** Prints a last line, which stays. */
  finish(text: string): void {
    const line = printableLine(text);
    if (this.#isRewritten) this.#stream.write(`\r\x1b[2K${line}\n`);
    else if (line !== this.#shown) this.#stream.write(`${line}\n`);
  }
}
