import { type Spec, WIDTH } from './render.ts';

/**
 * Pictures side by side, together as wide as the page. A single one has the full width.
 *
 * @param alone - height of a single one
 * @param among - height of each of several
 */
export function panels(all: readonly object[], alone: number, among: number): Spec {
  const [first, ...others] = all;
  if (others.length === 0) return { width: WIDTH - 90, height: alone, ...first } as Spec;
  // four panels make two rows of two
  const columns = all.length === 2 || all.length === 4 ? 2 : 3;
  const size = { width: Math.floor(WIDTH / columns) - 95, height: among };
  return { concat: all.map((panel) => ({ ...size, ...panel })), columns, spacing: 28 } as Spec;
}
