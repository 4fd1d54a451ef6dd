/** The symbols of the key, as names or outlines of Vega. */
const SYMBOLS = { point: 'circle', line: 'M-1.5,-0.25H1.5V0.25H-1.5Z', area: 'square' };

/** A kind of marks in a picture: its name and how it looks. */
export interface KeyEntry {
  name: string;
  colour: string;
  opacity: number;
  /** What the marks are. @default points */
  kind?: Exclude<keyof typeof SYMBOLS, 'point'>;
  /** Whether the key shows the entry. @default true */
  isShown?: boolean | undefined;
}

/**
 * Makes the key above a picture, which explains its colours. The returned function takes the name of a kind of marks,
 * and gives its colour encoding. An entry that is shown may have no marks in the picture.
 */
export function colourKey(all: readonly KeyEntry[]): (name: string) => object {
  const entries = all.filter(({ isShown = true }) => isShown);
  const names = entries.map(({ name }) => name);
  const symbols = JSON.stringify(entries.map(({ kind }) => SYMBOLS[kind ?? 'point']));
  const opacities = JSON.stringify(entries.map(({ opacity }) => opacity));
  const scale = { domain: names, range: entries.map(({ colour }) => colour) };
  const legend = {
    title: null,
    orient: 'top',
    symbolType: { expr: `${symbols}[indexof(domain('color'), datum.value)]` },
    symbolSize: 90,
    symbolStrokeWidth: 0,
    // lines have no fill, so the fill of the key's symbols is set here
    symbolFillColor: { expr: "scale('color', datum.value)" },
    symbolOpacity: { expr: `${opacities}[indexof(domain('color'), datum.value)]` },
  };
  return (name) => ({ datum: name, type: 'nominal', scale, legend });
}
