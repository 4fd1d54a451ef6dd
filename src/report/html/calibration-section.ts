import type { Campaign } from '../../campaign/types.ts';
import type { CalibrationStory, Marginal } from '../../search/abc/story.ts';
import { calibrationText, lastChangeTexts, quantileText, toleranceText } from '../words/calibration-words.ts';
import { numberHead, table, titled } from './cells.ts';
import { sentences } from '../pictures/figure.ts';
import { html, type Markup } from './markup.ts';
import { amount, counted, numberText, percent, textWithin, titleOf } from '../words/words.ts';

type NumericMarginal = Extract<Marginal, { mean: number }>;
type TextMarginal = Exclude<Marginal, NumericMarginal>;

const NUMBERS: [keyof NumericMarginal, string][] = [
  ['mean', 'Mean'],
  ['sd', 'Standard deviation'],
  ['low', '2.5 %'],
  ['lowerQuartile', '25 %'],
  ['median', 'Median'],
  ['upperQuartile', '75 %'],
  ['high', '97.5 %'],
];

/** The numbers of the table have two digits more than those of the headline. */
const FINER = 100;

/** The headline: the median of each input with its 95 % interval, or the most probable value. */
export function posteriorAnswer({ base }: Campaign, { summary }: CalibrationStory): Markup | undefined {
  const { posterior } = summary;
  if (!posterior) return undefined;
  const texts = Object.entries(posterior.inputs).map(([name, marginal]) => {
    const units = base.find((input) => input.name === name)?.units ?? null;
    if ('shares' in marginal) {
      const [value, share] = Object.entries(marginal.shares).toSorted(([, a], [, b]) => b - a)[0]!;
      return `${name} ${value} (${percent(Number(share.toFixed(2)))})`;
    }
    const { median, low, high } = marginal;
    const [middle, from, to] = [median, low, high].map((one) =>
      quantileText(base, name, one, (high - low) / 2),
    );
    return `${name} ${amount(middle!, units)} (${from} to ${to})`;
  });
  return html`<div class="answer">
    What explains the observations
    <strong>${texts.join(', ')}</strong>
    <p class="lead">
      ${sentences(`Medians with 95 % intervals, from the ${counted(summary.particles, 'accepted point')} of generation ${posterior.generation}`)}
    </p>
  </div>`;
}

/** The posterior in words and as a table of the inputs. */
export function posteriorSection(campaign: Campaign, { summary }: CalibrationStory): Markup {
  const { posterior } = summary;
  const head = html`<p class="soft">
    ${sentences(`By approximate Bayesian computation: ${calibrationText(summary)}`)}
  </p>`;
  if (!posterior)
    return html`<section>
      <h2>Posterior</h2>
      ${head}
      <p class="lead">
        There is no posterior, because no generation after the first one, which is the prior, is complete.
      </p>
    </section>`;
  const { generation, tolerance, acceptance, effective } = posterior;
  const inputs = Object.entries(posterior.inputs);
  const numeric = inputs.filter((one): one is [string, NumericMarginal] => 'mean' in one[1]);
  const others = inputs.filter((one): one is [string, TextMarginal] => 'shares' in one[1]);
  return html`<section>
    <h2>Posterior</h2>
    ${head}
    <p class="soft">
      ${sentences(
        `The values that explain the observations, by the ${counted(summary.particles, 'accepted point')} of generation ${generation} with their weights (${toleranceText(tolerance)})`,
        `Their means are as certain as those of ${numberText(Math.round(effective))} equally weighted points`,
        `${percent(Number(acceptance.toPrecision(3)))} of the points that were asked for came near enough`,
      )}
    </p>
    ${
      numeric.length === 0
        ? ''
        : table(
            ['Input', ...NUMBERS.map(([, title]) => numberHead(title))],
            numeric.map(([name, marginal]) => numbersRow(campaign, name, marginal)),
          )
    }
    ${others.map(
      ([name, { shares }]) =>
        html`<p>
          ${name}:
          ${Object.entries(shares)
            .map(([value, share]) => `${value} ${percent(Number(share.toFixed(3)))}`)
            .join(', ')}
        </p>`,
    )}
  </section>`;
}

/** The row of an input with numbers. A quantile of whole numbers is one of them, unlike their mean or deviation. */
function numbersRow({ varied, base }: Campaign, name: string, marginal: NumericMarginal): Markup {
  const half = (marginal.high - marginal.low) / 2 / FINER;
  const cells = NUMBERS.map(([key]) => {
    const value = marginal[key];
    const isMoment = key === 'mean' || key === 'sd';
    const text = isMoment ? textWithin(value, half) : quantileText(base, name, value, half);
    return html`<td class="number">${titled(text, String(value))}</td>`;
  });
  return html`<tr>
    <td>${titleOf(varied.find((input) => input.name === name)!)}</td>
    ${cells}
  </tr>`;
}

/** The generations with their tolerances. */
export function generationsSection({ generations, summary }: CalibrationStory): Markup | undefined {
  if (generations.length === 0) return undefined;
  const uncounted = summary.asked - generations.reduce((sum, { told }) => sum + told, 0);
  const titles = ['Generation', 'Tolerance', 'Points', 'Accepted', 'Share', 'Effective points'];
  const rows = generations.map(({ number, tolerance, told, accepted, effective }) => {
    const cells = [
      String(number),
      tolerance === null ? '' : numberText(tolerance),
      told.toLocaleString('en-US'),
      accepted.toLocaleString('en-US'),
      told === 0 ? '' : percent(Number((accepted / told).toPrecision(3))),
      effective === null ? '' : numberText(Math.round(effective)),
    ];
    return html`<tr>
      ${cells.map((cell) => html`<td class="number">${cell}</td>`)}
    </tr>`;
  });
  return html`<section>
    <h2>Generations</h2>
    <p class="soft">
      The first generation draws points from the prior. Each later generation draws points near the accepted
      points of the one before, and accepts points whose distance is within its tolerance.
      ${sentences(
        summary.stoppedBy !== null && uncounted > 0
          ? `${counted(uncounted, 'further point')} ${uncounted === 1 ? 'was asked for while a generation ended, and does' : 'were asked for while generations ended, and do'} not count`
          : undefined,
        ...lastChangeTexts(generations),
      )}
    </p>
    ${table(titles.map(numberHead), rows)}
  </section>`;
}
