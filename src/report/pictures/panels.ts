import type { Goal } from '../../campaign/types.ts';
import { type Spec, WIDTH } from './vega.ts';

/** The maximum number of panels of a picture. */
const MOST_PANELS = 12;

/** The maximum number of inputs that a title names. */
const MOST_NAMED = 6;

/** Chooses the panels with the largest effects. They stay in the order of the inputs. */
export function largestPanels<Panel>(panels: readonly Panel[], effectOf: (panel: Panel) => number): Panel[] {
  if (panels.length <= MOST_PANELS) return [...panels];
  const largest = panels.toSorted((a, b) => effectOf(b) - effectOf(a)).slice(0, MOST_PANELS);
  return panels.filter((panel) => largest.includes(panel));
}

/** The mark with the lowest or the highest mean. Of equal means, the first one counts. */
export function firstBy<M extends { mean: number }>(
  marks: readonly M[],
  wants: Goal['wants'] | undefined,
): M | undefined {
  const sign = wants === 'lowest' ? -1 : 1;
  return marks.reduce<M | undefined>(
    (first, one) => (!first || sign * one.mean > sign * first.mean ? one : first),
    undefined,
  );
}

/** "The 12 of 100 inputs with the largest effects are shown"; undefined if all are shown. */
export function largestText(all: number, shown: number): string | undefined {
  return shown < all ? `The ${shown} of ${all} inputs with the largest effects are shown` : undefined;
}

/** A title: "Cost by Price, Rate", or "Cost by 12 inputs" if there are many inputs. */
export function titleBy(output: string, inputs: readonly { name: string }[]): string {
  const names =
    inputs.length > MOST_NAMED ? `${inputs.length} inputs` : inputs.map(({ name }) => name).join(', ');
  return `${output} by ${names}`;
}

/**
 * Puts pictures side by side, in rows of two or three. A full row is as wide as the page.
 *
 * @param singleHeight - the height if there is only one picture
 * @param height - the height of each picture if there are several
 */
export function panels(all: readonly object[], singleHeight: number, height: number): Spec {
  const [first, ...others] = all;
  if (others.length === 0) return { width: WIDTH - 90, height: singleHeight, ...first } as Spec;
  // four panels make two rows of two
  const columns = all.length === 2 || all.length === 4 ? 2 : 3;
  const size = { width: Math.floor(WIDTH / columns) - 95, height };
  return { concat: all.map((panel) => ({ ...size, ...panel })), columns, spacing: 28 } as Spec;
}
