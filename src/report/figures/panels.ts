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
