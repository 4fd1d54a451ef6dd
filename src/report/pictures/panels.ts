import { type Spec, WIDTH } from './vega.ts';

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
