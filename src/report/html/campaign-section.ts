import { RANDOM_SEED } from '../../api/index.ts';
import { hasStrategy } from '../../campaign/strategy.ts';
import { growthProgress, growthText } from '../../campaign/growth.ts';
import { hasSeed } from '../../campaign/seeds.ts';
import type { Campaign, ModelVersion, RunCounts } from '../../campaign/types.ts';
import type { CampaignRecord } from '../../store/index.ts';
import { titled } from './cells.ts';
import { html, type Markup } from './markup.ts';
import { amount, counted, numberText, percent } from '../words/words.ts';

/**
 * The section "What was run": the model, the seed, the definition and other facts for running the campaign again, and
 * the number and the time of its runs.
 */
export function campaignSection(
  { campaign, definition, createdAt, updatedAt }: CampaignRecord,
  counts: RunCounts,
  outstandingTime: number,
): Markup {
  const { model, base, varied, seed, versions, files } = campaign;
  const growth =
    hasStrategy(campaign, 'growing') &&
    growthProgress({ design: campaign.design, growth: campaign.strategy });
  const isFixed = (name: string): boolean =>
    !varied.some((input) => input.name === name) && (seed === null || name !== RANDOM_SEED);
  const rows: [string, string | Markup][] = [
    ['Model', html`${model.name}, version ${model.version} <code>${model.versionId}</code>`],
    ['Service', originOf(campaign.service)],
    ...(versions ? [['Versions', versionsText(versions)] satisfies [string, string]] : []),
    ...(growth ? [['Points', growthText(growth)] satisfies [string, string]] : []),
    ['Replications', replicationsText(campaign)],
    ['Seed', seedText(campaign)],
    ['From submit to last change', durationText(updatedAt - createdAt)],
    [
      'Runs',
      `${counted(counts.new, 'new run')}, ${numberText(counts.reused)} reused, ${numberText(counts.failed)} failed`,
    ],
    [
      'Time of runs',
      `${durationText(outstandingTime)} in all, from the request of each run until foray saw its end, including the time in the service's queue; reused runs are not counted`,
    ],
  ];
  const fixed = base
    .filter(({ name }) => isFixed(name))
    .map(({ name, value, units }): [string, string | Markup] => {
      const full = amount(value, units);
      return [name, titled(files.find(({ input }) => input === name)?.path ?? full, full)];
    });
  return html`<section>
    <h2>What was run</h2>
    ${plainTable(rows)}
    ${
      fixed.length > 0
        ? html`<details>
            <summary>${counted(fixed.length, 'input')} with one value</summary>
            ${plainTable(fixed)}
          </details>`
        : ''
    }
    ${
      definition === ''
        ? ''
        : html`<details>
            <summary>The definition</summary>
            <pre tabindex="0">${definition}</pre>
          </details>`
    }
  </section>`;
}

/** Names with their values, one row each. */
function plainTable(rows: readonly [name: string, value: string | Markup][]): Markup {
  return html`<div class="scroll" tabindex="0">
    <table class="plain">
      ${rows.map(
        ([name, value]) =>
          html`<tr>
            <th>${name}</th>
            <td>${value}</td>
          </tr>`,
      )}
    </table>
  </div>`;
}

/** The scheme, host and port of a service's address. Other parts, such as the password or the query, may be secret. */
function originOf(service: string): string {
  return URL.parse(service)?.origin ?? 'unknown';
}

/** The versions of a campaign that had several versions: "1, then 2: …". */
function versionsText(versions: readonly ModelVersion[]): string {
  const numbers = versions.map(({ version }) => version).join(', then ');
  return `${numbers}: each run used the version of its request, and the column "version" of the results shows it`;
}

/**
 * The numbers of replications in words: "10 to 100 of each point, until Mean total cost is known within 5 % with 95 %
 * confidence".
 */
export function replicationsText({ replications, precision, strategy, base }: Campaign): string {
  if (strategy.by === 'selection' && hasSeed(base))
    return `${numberText(replications)} of each point, and more of points that cannot be distinguished from the best one`;
  if (strategy.by === 'search' && strategy.most !== null)
    return `${numberText(replications)} of each point, and up to ${numberText(strategy.most)} of points that cannot be distinguished from the best one`;
  if (!precision) return `${numberText(replications)} of each point`;
  const { min, max, outputs, shares = [], relative, absolute, confidence } = precision;
  const areShares = outputs.every((name) => shares.includes(name));
  const widths = [
    ...(relative === null ? [] : [percent(relative)]),
    ...(absolute === null ? [] : [`±${areShares ? percent(absolute) : numberText(absolute)}`]),
  ];
  const are = outputs.length > 1 ? 'are' : 'is';
  return `${numberText(min)} to ${numberText(max)} of each point, until ${outputs.join(', ')} ${are} known within ${widths.join(' and ')} with ${percent(confidence)} confidence`;
}

function seedText({ seed, commonRandomNumbers }: Campaign): string {
  if (seed === null) return 'the default seed of the model';
  return `${seed}, from which foray derives the seeds of all runs${commonRandomNumbers ? '; replication n has the same seed at every point' : ''}`;
}

const [DAY, HOUR, MINUTE, SECOND] = [86_400_000, 3_600_000, 60_000, 1_000];
const timeUnits = [
  [DAY, 'd'],
  [HOUR, 'h'],
  [MINUTE, 'min'],
  [SECOND, 's'],
] as const;

/** A duration in ms for readers, in at most two units: "2 h 5 min", "1.5 s". */
export function durationText(ms: number): string {
  if (ms < 10 * SECOND) return `${numberText(Math.round(ms / 100) / 10)} s`;
  const rounding = ms < HOUR ? SECOND : ms < DAY ? MINUTE : HOUR;
  let rest = Math.round(ms / rounding) * rounding;
  const parts = timeUnits.flatMap(([size, name]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count > 0 ? [`${numberText(count)} ${name}`] : [];
  });
  return parts.join(' ');
}
