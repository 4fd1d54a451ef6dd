import { growthText } from '../../campaign/growth.ts';
import { asksForMore } from '../../campaign/asks-for-more.ts';
import { expectedRuns, finishedPercent } from '../../campaign/precise-points.ts';
import type { CampaignStatus } from '../../client/index.ts';
import { isClosed } from '../../client/status.ts';
import { durationText } from '../../report/html/campaign-section.ts';
import { html, type Markup } from '../../report/html/markup.ts';
import { counted } from '../../report/words/words.ts';
import { timeOf } from './grid.ts';

/** A bar with the shares of done, failed and requested runs. The rest of the bar stands for waiting runs. */
export function barOf(status: CampaignStatus): Markup {
  const { runs } = status;
  const total = Math.max(1, expectedRuns(status));
  const share = (count: number): number => Math.min(100, (100 * count) / total);
  const done = share(runs.done);
  // one failed run of many is still visible
  const failed = runs.failed > 0 ? Math.min(100 - done, Math.max(0.5, share(runs.failed))) : 0;
  const requested = Math.min(100 - done - failed, share(runs.running + runs.queued));
  const parts: [name: string, from: number, width: number][] = [
    ['done', 0, done],
    ['failed', done, failed],
    ['requested', done + failed, requested],
  ];
  return html`<svg
    class="bar"
    viewBox="0 0 100 4"
    preserveAspectRatio="none"
    role="img"
    aria-label="${asksForMore(status) ? finishedText(status) : `${finishedPercent(status)} % finished`}"
  >
    ${parts.map(
      ([name, from, width]) =>
        html`<rect class="${name}" x="${from.toFixed(2)}" width="${width.toFixed(2)}" height="4" />`,
    )}
  </svg>`;
}

/** Counts of runs, such as "120 of 208 runs finished, 3 failed". */
export function finishedText(status: CampaignStatus): string {
  const { runs } = status;
  const finished = (runs.done + runs.failed).toLocaleString('en-US');
  const failed = runs.failed === 0 ? '' : `, ${runs.failed.toLocaleString('en-US')} failed`;
  const far = asksForMore(status) ? ' so far' : '';
  return `${finished} of ${counted(expectedRuns(status), 'run')}${far} finished${failed}`;
}

/** The remaining time of a running campaign, such as "12 s left"; empty if it is unknown. */
export function leftText({ phase, secondsLeft }: CampaignStatus): string {
  return phase !== 'running' || secondsLeft === null ? '' : `${durationText(secondsLeft * 1_000)} left`;
}

/** The rate of runs, the remaining time and the number of runs at once, without the parts that are unknown. */
function paceText(status: CampaignStatus): string {
  const { phase, rate, window } = status;
  if (phase !== 'running') return '';
  return [
    rate ? `${rate.toFixed(1)} runs a second` : '',
    leftText(status),
    window === null ? '' : `${counted(window, 'run')} at once`,
  ]
    .filter(Boolean)
    .join(', ');
}

/**
 * The head of a campaign's page: the phase, what blocks the campaign, the bar, and counts of runs.
 *
 * @param drawn - the number of finished runs that the pictures below show; undefined without pictures
 */
export function statusSection(status: CampaignStatus, drawn?: number): Markup {
  const { runs, phase, blocked, note, strategy, source, asOf } = status;
  const numbers: [string, number][] = [
    ['new', runs.new],
    ['reused', runs.reused],
    ['failed', runs.failed],
    ['running', runs.running],
    ['queued', runs.queued],
    ['not requested yet', runs.waiting],
  ];
  return html`<div id="status">
    <p>
      <span class="phase ${phase}">${phase}</span> ${finishedText(status)}
      <span class="soft">${paceText(status)}</span>
    </p>
    ${blocked === null ? '' : html`<p class="bad">Cannot continue: ${blocked}</p>`} ${barOf(status)}
    <p class="soft">
      ${numbers.map(([name, count]) => `${count.toLocaleString('en-US')} ${name}`).join(', ')}
      ${source === 'store' && !isClosed(status) ? html` (as of ${timeOf(asOf)})` : ''}
    </p>
    ${
      drawn === undefined || drawn === runs.done + runs.failed
        ? ''
        : html`<p class="soft">
            The pictures and numbers below show ${counted(drawn, 'finished run')}. They follow in a moment.
          </p>`
    }
    ${strategy.by === 'growing' ? html`<p class="soft">${growthText(strategy)}</p>` : ''}
    ${note === '' ? '' : html`<p class="note">${note}</p>`}
  </div>`;
}
