/** A piece of a contour line: from one place to another, in columns and rows. */
export interface Segment {
  x: number;
  y: number;
  x2: number;
  y2: number;
}

/**
 * Finds the contour of a surface at a level, by marching squares. The surface is linear between the centres of
 * neighbouring cells. If two opposite corners of a square are above the level and the other two below it, the mean of
 * the four decides which corners are connected. There is no line beside an empty cell.
 *
 * @param cells - the cells row by row. The centre of the first cell is at (0.5, 0.5)
 */
export function contourOf(cells: readonly (number | null)[], columns: number, level: number): Segment[] {
  const rows = cells.length / columns;
  const segments: Segment[] = [];
  for (let row = 0; row + 1 < rows; row += 1) {
    for (let column = 0; column + 1 < columns; column += 1) {
      const at = row * columns + column;
      // the corners in the order around the square
      const corners = [cells[at]!, cells[at + 1]!, cells[at + columns + 1]!, cells[at + columns]!];
      if (corners.some((corner) => corner === null)) continue;
      segments.push(...square(corners, level, column + 0.5, row + 0.5));
    }
  }
  return segments;
}

/** The corners of a square of size 1: bottom left, bottom right, top right, top left. */
const CORNERS = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
] as const;

function square(corners: readonly number[], level: number, left: number, below: number): Segment[] {
  const crossings = corners.flatMap((value, side) => {
    const next = (side + 1) % 4;
    if (value >= level === corners[next]! >= level) return [];
    const share = (level - value) / (corners[next]! - value);
    const [[x0, y0], [x1, y1]] = [CORNERS[side]!, CORNERS[next]!];
    return [{ x: left + x0 + share * (x1 - x0), y: below + y0 + share * (y1 - y0) }];
  });
  if (crossings.length < 2) return [];
  const line = (from: number, to: number): Segment => {
    const [a, b] = [crossings[from]!, crossings[to]!];
    return { x: a.x, y: a.y, x2: b.x, y2: b.y };
  };
  if (crossings.length === 2) return [line(0, 1)];
  const mean = corners.reduce((sum, value) => sum + value, 0) / 4;
  // the first corner is either connected with the opposite corner, or cut off from it
  return mean >= level === corners[0]! >= level ? [line(0, 1), line(2, 3)] : [line(3, 0), line(1, 2)];
}
