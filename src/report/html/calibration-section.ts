import type { Campaign } from '../../campaign/types.ts';
import type { CalibrationStory, Marginal } from '../../search/abc/story.ts';
import { calibrationText, toleranceText } from '../words/calibration-words.ts';
import { titled } from './cells.ts';
import { sentences } from '../pictures/figure.ts';
import { html, type Markup } from './markup.ts';
import { counted, numberText, percent, shortNumber, titleOf } from '../words/words.ts';

const NUMBERS: [keyof Extract<Marginal, { mean: number }>, string][] = [
  ['mean', 'Mean'],
  ['sd', 'Standard deviation'],
  ['low', '2.5 %'],
  ['lowerQuartile', '25 %'],
  ['median', 'Median'],
  ['upperQuartile', '75 %'],
  ['high', '97.5 %'],
];

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
      <p class="lead">There is no posterior yet, because no generation is complete.</p>
    </section>`;
  const { generation, tolerance, acceptance, effective, inputs } = posterior;
  const numeric = Object.entries(inputs).filter(([, marginal]) => 'mean' in marginal) as [
    string,
    Extract<Marginal, { mean: number }>,
  ][];
  const others = Object.entries(inputs).filter(([, marginal]) => 'shares' in marginal) as [
    string,
    Extract<Marginal, { shares: object }>,
  ][];
  return html`<section>
    <h2>Posterior</h2>
    ${head}
    <p class="soft">
      ${sentences(
        `The values that explain the observations, by the ${counted(summary.particles, 'accepted point')} of generation ${generation} with their weights (${toleranceText(tolerance)})`,
        `Their means are as certain as those of ${numberText(Math.round(effective))} equally weighted points`,
        `${percent(Number(acceptance.toPrecision(3)))} of the points that were asked for came near enough`,
        generation === 1 ? 'The first generation is the prior' : undefined,
      )}
    </p>
    ${
      numeric.length === 0
        ? ''
        : html`<div class="scroll" tabindex="0">
            <table>
              <thead>
                <tr>
                  <th>Input</th>
                  ${NUMBERS.map(([, title]) => html`<th class="number">${title}</th>`)}
                </tr>
              </thead>
              <tbody>
                ${numeric.map(
                  ([name, marginal]) =>
                    html`<tr>
                      <td>${titleOf(campaign.varied.find((input) => input.name === name)!)}</td>
                      ${NUMBERS.map(([key]) => html`<td class="number">${titled(shortNumber(String(marginal[key])), String(marginal[key]))}</td>`)}
                    </tr>`,
                )}
              </tbody>
            </table>
          </div>`
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

/** The generations with their tolerances. */
export function generationsSection({ generations }: CalibrationStory): Markup | undefined {
  if (generations.length === 0) return undefined;
  const titles = ['Generation', 'Tolerance', 'Points', 'Accepted', 'Share', 'Effective points'];
  return html`<section>
    <h2>Generations</h2>
    <p class="soft">
      The first generation draws points from the prior. Each later generation draws points near the accepted
      points of the one before, and accepts points whose distance is within its tolerance.
    </p>
    <div class="scroll" tabindex="0">
      <table>
        <thead>
          <tr>
            ${titles.map((title) => html`<th class="number">${title}</th>`)}
          </tr>
        </thead>
        <tbody>
          ${generations.map(({ number, tolerance, told, accepted, effective }) => {
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
          })}
        </tbody>
      </table>
    </div>
  </section>`;
}
