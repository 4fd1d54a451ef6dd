/** A kind of marks in a picture, and its name. */
export interface KeyEntry {
  name: string;
  colour: string;
  opacity: number;
}

/**
 * The key above a picture, which explains its colours. Returns the encoding of the colour of one kind of marks. The key
 * shows all entries, whichever marks are drawn.
 */
export function key(entries: readonly KeyEntry[]): (name: string) => object {
  const names = entries.map(({ name }) => name);
  const opacities = JSON.stringify(entries.map(({ opacity }) => opacity));
  const scale = { domain: names, range: entries.map(({ colour }) => colour) };
  const legend = {
    title: null,
    orient: 'top',
    symbolType: 'circle',
    symbolSize: 90,
    symbolStrokeWidth: 0,
    // lines have no fill here
    symbolFillColor: { expr: "scale('color', datum.value)" },
    symbolOpacity: { expr: `${opacities}[indexof(domain('color'), datum.value)]` },
  };
  return (name) => ({ datum: name, type: 'nominal', scale, legend });
}
