export type Place = readonly [x: number, y: number];

/**
 * The corners of the convex hull of places, anticlockwise. If all places lie on a line, there are at most two corners.
 * By A. M. Andrew, "Another efficient algorithm for convex hulls in two dimensions", Information Processing Letters 9
 * (1979) 216-219.
 */
export function hullOf(places: readonly Place[]): Place[] {
  const sorted = places.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]);
  const lower = chain(sorted);
  const upper = chain(sorted.reverse());
  return [...lower.slice(0, -1), ...upper.slice(0, -1)];
}

/** The corners of one side of the hull, along the sorted places. */
function chain(sorted: readonly Place[]): Place[] {
  const corners: Place[] = [];
  for (const place of sorted) {
    while (corners.length > 1 && turn(corners.at(-2)!, corners.at(-1)!, place) <= 0) corners.pop();
    corners.push(place);
  }
  return corners;
}

/** Twice the area of a triangle, with a sign: positive if its corners turn to the left. */
function turn(a: Place, b: Place, c: Place): number {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/** The area of a convex polygon; 0 for a line. */
export function areaOf(hull: readonly Place[]): number {
  const [first] = hull;
  return hull.reduce((sum, corner, at) => sum + turn(first!, corner, hull[(at + 1) % hull.length]!) / 2, 0);
}

/** Whether a place lies within a convex polygon, or on its edge. */
export function isWithin(hull: readonly Place[], place: Place): boolean {
  return hull.every((corner, at) => turn(corner, hull[(at + 1) % hull.length]!, place) >= 0);
}
