import { asksForMore } from '../../campaign/asks-for-more.ts';
import { expectedRuns, type PrecisionProgress } from '../../campaign/precise-points.ts';
import type { CampaignOutput, Goal, Phase } from '../../campaign/types.ts';
import type { CampaignStatus } from '../../client/index.ts';
import { counted, numberText, printable, titleOf } from '../../report/index.ts';
import { rangeOf } from '../../statistics/sample.ts';
import { capitalized } from '../../text/printable.ts';
import { blockedText, duration } from '../progress-line.ts';
import { LAST_LINES } from '../log.ts';
import { histogram } from './histogram.ts';
import { cut, lengthOf, type Line, type Span, type Style, wrapped } from './text.ts';
import { rowLines } from './finished-runs.ts';
import type { LiveState } from './state.ts';

export interface Size {
  columns: number;
  rows: number;
}

const MOST_ROWS = 8;
const MOST_NOTE_LINES = 3;
/** Each part has a blank line and a title above its lines. */
const ABOVE_LINES = 2;
/** From this number of free rows on, the histogram is high. */
const HIGH_PAGE = 14;
/** The numbers of columns between which the length of the bar lies. With fewer columns, there is no bar. */
const SHORTEST_BAR = 10;
const LONGEST_BAR = 60;

const phaseStyles: Record<Phase, Style> = {
  preparing: 'cyan',
  running: 'cyan',
  paused: 'yellow',
  stopping: 'yellow',
  completed: 'green',
  failed: 'red',
  cancelled: 'yellow',
};

/**
 * The state of a campaign as lines that fit into a terminal. A small terminal shows fewer parts: it first leaves out
 * the failure, then the values, then the rows.
 */
export function pageOf(state: LiveState, { columns, rows }: Size): Line[] {
  const head = headOf(state, columns);
  let room = rows - head.length;
  const page = [...head];
  const height = room >= HIGH_PAGE ? 3 : 1;
  // one more line has the range of the values, and a finished run needs space too
  if (state.output && state.values.length > 0 && room >= ABOVE_LINES + height + 1 + ABOVE_LINES + 1) {
    page.push([], valuesTitle(state.output, state.values, state.goal));
    page.push(...histogram(state.values, columns, height));
    room = rows - page.length;
  }
  if (state.rows.length > 0 && room > ABOVE_LINES) {
    page.push([], [{ style: 'bold', text: 'Last finished runs' }]);
    page.push(...rowLines(state, columns).slice(0, Math.min(MOST_ROWS, room - ABOVE_LINES)));
    room = rows - page.length;
  }
  if (state.failure && room > ABOVE_LINES) {
    page.push(
      [],
      [
        { style: 'bold', text: 'Last failure' },
        { style: 'red', text: `  ${printable(state.failure.reason ?? '')}` },
      ],
    );
    const lines = state.failure.lines.slice(-Math.min(LAST_LINES, room - ABOVE_LINES));
    page.push(...lines.map((line): Line => [{ style: 'dim', text: `  ${printable(line)}` }]));
  }
  return page.slice(0, rows);
}

function headOf({ status, strategy }: LiveState, columns: number): Line[] {
  const { phase, blocked, note } = status;
  return [
    titleLine(status, columns),
    ...noteLines(blocked === null ? '' : blockedText(blocked), columns, 'red'),
    barLine(status, columns),
    ...(status.precision ? wrapped(precisionSpans(status.precision, status.points), '  ', columns) : []),
    ...wrapped(countSpans(status), '  ', columns),
    ...noteLines(strategy === undefined ? '' : capitalized(strategy), columns),
    ...(phase === 'running' ? wrapped(paceSpans(status), '  ', columns) : []),
    ...noteLines(note, columns, 'yellow'),
  ].filter((line) => line.length > 0);
}

/** The first lines of a text, with the words in one style. */
function noteLines(text: string, columns: number, style?: Style): Line[] {
  const words = printable(text).split(' ').filter(Boolean);
  const spans = words.map((word): Span => (style ? { style, text: word } : word));
  return wrapped(spans, ' ', columns).slice(0, MOST_NOTE_LINES);
}

function titleLine({ id, phase, model, modelVersion }: CampaignStatus, columns: number): Line {
  const line: Span[] = [{ style: 'bold', text: id }, '  ', { style: phaseStyles[phase], text: phase }];
  const about = printable(`${model}, version ${modelVersion}`);
  const space = columns - lengthOf(line) - lengthOf([about]);
  return space < 2 ? line : [...line, ' '.repeat(space), { style: 'dim', text: about }];
}

/**
 * Finished, failed, requested and waiting runs as shares of a bar. The part of the finished runs fills the whole bar
 * only when all expected runs have finished.
 */
function barLine(status: CampaignStatus, columns: number): Line {
  const { runs, precision } = status;
  const total = expectedRuns(status);
  const finished = runs.done + runs.failed;
  // the counts may disagree for a moment while the store is being written
  const shareOf = (count: number, size: number): number =>
    total > 0 ? Math.min(size, Math.floor((size * count) / total)) : 0;
  const about = precision && finished < total ? 'about ' : '';
  const far = asksForMore(status) ? ' so far' : `  ${shareOf(finished, 100)} %`;
  const words = `${finished.toLocaleString('en-US')} of ${about}${counted(total, 'run')}${far}`;
  const cells = Math.min(columns - lengthOf([words]) - 2, LONGEST_BAR);
  if (cells < SHORTEST_BAR) return [words];
  const done = shareOf(finished, cells);
  // a few failed runs must be visible among many
  const failed = Math.min(done, runs.failed > 0 ? Math.max(1, shareOf(runs.failed, cells)) : 0);
  const requested = Math.min(
    cells - done,
    Math.ceil((cells * (runs.running + runs.queued)) / Math.max(1, total)),
  );
  return [
    { style: 'green', text: '█'.repeat(done - failed) },
    { style: 'red', text: '▓'.repeat(failed) },
    { style: 'cyan', text: '▒'.repeat(requested) },
    { style: 'dim', text: '░'.repeat(cells - done - requested) },
    '  ',
    words,
  ];
}

function countSpans({ runs }: CampaignStatus): Span[] {
  const text = (count: number, name: string): string => `${count.toLocaleString('en-US')} ${name}`;
  return [
    { style: 'green', text: text(runs.new, 'new') },
    { style: 'green', text: text(runs.reused, 'reused') },
    { style: runs.failed > 0 ? 'red' : 'dim', text: text(runs.failed, 'failed') },
    { style: 'cyan', text: text(runs.running, 'running') },
    { style: 'cyan', text: text(runs.queued, 'queued') },
    { style: 'dim', text: text(runs.waiting, 'waiting') },
  ];
}

function precisionSpans({ precise, imprecise, mostRuns }: PrecisionProgress, points: number): Span[] {
  return [
    { style: 'green', text: `${precise.toLocaleString('en-US')} of ${counted(points, 'point')} precise` },
    ...(imprecise > 0
      ? [
          {
            style: 'yellow',
            text: `${counted(imprecise, 'point')} not precise with all their replications`,
          } as const,
        ]
      : []),
    { style: 'dim', text: `at most ${counted(mostRuns, 'run')}` },
  ];
}

function paceSpans({ rate, secondsLeft, window }: CampaignStatus): Span[] {
  return [
    rate === null || rate === 0 ? '' : `${rate.toFixed(1)} a second`,
    secondsLeft === null ? '' : `${duration(secondsLeft)} left`,
    window === null ? '' : `window of ${counted(window, 'run')}`,
  ].filter((text) => text !== '');
}

/** The title of the values. For the output of the goal, the title also has the best of the shown values. */
function valuesTitle(output: CampaignOutput, values: readonly number[], goal: Goal | undefined): Line {
  const mean = values.reduce((sum, value) => sum + value / values.length, 0);
  const [lowest, highest] = rangeOf(values);
  const best = goal?.wants === 'highest' ? highest : lowest;
  const bestWords = goal?.output === output.name ? `, best (${goal.wants}) ${numberText(best)}` : '';
  const what = `  mean ${numberText(mean)} of ${counted(values.length, 'value')}${bestWords}`;
  return [{ style: 'bold', text: cut(printable(titleOf(output)), 60) }, what];
}
