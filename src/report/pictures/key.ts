/** A kind of marks in a picture, and what it is called. */
export interface KeyEntry {
  name: string;
  colour: string;
  opacity: number;
}

/**
 * The key above a picture: what its colours mean. Returns the encoding of the colour of one kind of marks; whichever of them
 * are drawn, all entries are shown.
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
    // lines would have no fill here
    symbolFillColor: { expr: "scale('color', datum.value)" },
    symbolOpacity: { expr: `${opacities}[indexof(domain('color'), datum.value)]` },
  };
  return (name) => ({ datum: name, type: 'nominal', scale, legend });
}
