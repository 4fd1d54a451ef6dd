import { expectedRuns, finishedPercent, precisionText, runsText } from '../campaign/precise-points.ts';
import { closedPhases } from '../campaign/types.ts';
import { asksForMore, type CampaignState, commonestFirst, failedText, progressOf } from './state.ts';

/**
 * The campaign as a page of Markdown for Temporal's Web UI. The Web UI shows the first few lines without scrolling, and
 * recognises a list only after an empty line.
 */
export function detailsOf(state: CampaignState, now: number): string {
  const progress = progressOf(state, now);
  const { phase, points, runs, precision, triedAgain, window, rate, secondsLeft, note } = progress;
  const finished = runs.done + runs.failed;
  const share = asksForMore(state) ? 'so far finished' : `finished (${finishedPercent(progress)} %)`;
  const left =
    secondsLeft === null || finished === expectedRuns(progress) ? '' : `, about ${secondsLeft} s left`;
  const failed = closedPhases.includes(phase) && runs.failed > 0 ? `, ${failedText(runs)}` : '';
  const lines = [
    `**${phase}${failed}**: ${finished} of ${precision ? 'about ' : ''}${expectedRuns(progress)} runs ${share}${left}`,
    '',
    `- finished: ${runs.new} new, ${runs.reused} reused, ${runs.failed} failed; ${rate.toFixed(1)} a second`,
    `- open: ${runs.running} running, ${runs.queued} queued, ${runs.waiting} waiting; window ${window}`,
    state.search?.step === 'points'
      ? `- search: ${state.search.asked} points asked for`
      : `- design: ${points} points`,
  ];
  if (precision) lines.push(`- ${precisionText(precision, points)}; ${runsText(precision, finished)}`);
  if (triedAgain > 0) lines.push(`- tried again after a failure: ${triedAgain}`);
  if (note) lines.push(`- ${plain(note)}`);
  const causes = commonestFirst(state.causes).slice(0, 3);
  if (causes.length > 0)
    lines.push('', 'Failures:', '', ...causes.map(({ cause, count }) => `- ${count} × ${plain(cause)}`));
  if (state.failures.length > 0)
    lines.push('', 'Last failures:', '', ...state.failures.map((reason) => `- ${plain(reason)}`));
  return lines.join('\n');
}

/** Escapes a text for a line of Markdown: `<Foo>` would vanish, `*` and `_` would be emphasis. */
function plain(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>&~|]/g, String.raw`\$&`).replaceAll(/\s+/g, ' ');
}
