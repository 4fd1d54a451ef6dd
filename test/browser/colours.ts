import type { Locator } from 'playwright-core';

export const WHITE: Colour = [255, 255, 255, 1];

/** Red, green and blue from 0 to 255, and the opacity from 0 to 1. */
export type Colour = [red: number, green: number, blue: number, alpha: number];

// this runs in the page; the types of a browser's globals are not loaded here
declare const getComputedStyle: (element: unknown) => Record<string, string>;

/** The colours of elements in the page. */
export async function coloursOf(
  elements: Locator,
  property: 'fill' | 'color' | 'backgroundColor',
): Promise<Colour[]> {
  const styles = await elements.evaluateAll(
    (all, name) =>
      all.map((element) => {
        const style = getComputedStyle(element);
        return { colour: style[name]!, opacity: name === 'fill' ? style.fillOpacity! : '1' };
      }),
    property,
  );
  return styles.map(({ colour, opacity }) => {
    const [red, green, blue, alpha = 1] = [...colour.matchAll(/[\d.]+/g)].map(Number);
    return [red!, green!, blue!, alpha * Number(opacity)];
  });
}

/** The visible colour where a colour, which may be transparent, covers another one. */
export function over([red, green, blue, alpha]: Colour, below: Colour): Colour {
  const mixed = [red, green, blue].map((value, i) => alpha * value + (1 - alpha) * below[i]!);
  return [mixed[0]!, mixed[1]!, mixed[2]!, 1];
}

/** The relative luminance, from 0 to 1, as the Web Content Accessibility Guidelines define it. */
export function luminance([red, green, blue]: Colour): number {
  const [r, g, b] = [red, green, blue].map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
}

/** The contrast of two colours, from 1 to 21, as the same guidelines define it. */
export function contrast(one: Colour, other: Colour): number {
  const [light, dark] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (light! + 0.05) / (dark! + 0.05);
}
