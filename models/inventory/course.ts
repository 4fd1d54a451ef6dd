import { axisMarks, circle, count, line, polyline, text, ticks } from '../lib/svg.ts';
import { colours, HEIGHT, heading, type Shown, WIDTH } from './look.ts';

const chart = { left: 72, top: 328, right: WIDTH - 84, bottom: HEIGHT - 64 };

type Point = readonly [x: number, y: number];

/** Draws level and position over the last `span`, with s and S. If the run is shorter, its start is at the left. */
export function drawCourse({ settings, system, levels, positions, span }: Shown): string {
  const { start, reorderPoint, orderUpToLevel, initialInventory } = settings;
  const from = Math.max(start, system.simulation.now - span);
  const first = levels.times.findLastIndex((time) => time < from) + 1;
  const times = levels.times.slice(first);
  const shown = levels.values.slice(first);
  // the scale goes down to the lowest value so far, so that it does not change all the time
  const lowest = levels.values.reduce((least, level) => Math.min(least, level), Math.min(0, reorderPoint));
  const highest = Math.max(orderUpToLevel, initialInventory, 4);
  const x = (time: number) => chart.left + ((chart.right - chart.left) * (time - from)) / span;
  const y = (items: number) =>
    chart.bottom - ((chart.bottom - chart.top) * (items - lowest)) / (highest - lowest);
  const steps = (values: readonly number[]) => stairs(times.map((time, i) => [x(time), y(values[i]!)]));
  const part = (values: readonly number[], colour: string) => {
    const top = steps(values);
    const closed = [[top[0]![0], y(0)], ...top, [top.at(-1)![0], y(0)]] as const;
    return [
      polyline(closed, { fill: colour, opacity: 0.2 }),
      ...pieces(top, y(0)).map((piece) =>
        polyline(piece, { stroke: colour, 'stroke-width': 2, 'stroke-linejoin': 'round' }),
      ),
    ];
  };
  const level = shown.at(-1)!;
  const middle = (chart.left + chart.right) / 2;
  const labelAt = Math.max(y(reorderPoint), y(orderUpToLevel) + 17);

  return [
    text(chart.left - 24, chart.top - 26, 'Inventory level', heading),
    ...legend(),
    ...axisMarks(chart, [levelsBetween(lowest, highest), y], [monthsFrom(from, span), x]),
    text(middle, chart.bottom + 48, 'Month', { 'text-anchor': 'middle', 'font-weight': 600 }),
    threshold('S', orderUpToLevel, y(orderUpToLevel)),
    // this label is always below the label of S, even if both values are close
    threshold('s', reorderPoint, y(reorderPoint), labelAt),
    polyline(steps(positions.values.slice(first)), {
      stroke: colours.onOrder,
      'stroke-width': 1.5,
      'stroke-dasharray': '2 3',
    }),
    ...part(
      shown.map((level) => Math.max(level, 0)),
      colours.onHand,
    ),
    ...part(
      shown.map((level) => Math.min(level, 0)),
      colours.backorders,
    ),
    circle(x(times.at(-1)!), y(level), 5, { fill: level < 0 ? colours.backorders : colours.onHand }),
  ].join('');
}

/** Turns samples into stairs, because each level lasts until it changes. Samples without a change are left out. */
function stairs(points: readonly Point[]): Point[] {
  const [first, last] = [points[0]!, points.at(-1)!];
  const corners = points.flatMap(([x, y], i): Point[] => {
    const before = points[i - 1]?.[1] ?? y;
    return before === y
      ? []
      : [
          [x, before],
          [x, y],
        ];
  });
  return [first, ...corners, last];
}

/** Cuts a line into the parts above and below the axis. Each part starts and ends on the axis. */
function pieces(points: readonly Point[], axis: number): Point[][] {
  const found: Point[][] = [];
  for (const [i, point] of points.entries()) {
    const [from, to] = [points[i - 1]?.[1] ?? axis, point[1]];
    if (from === axis && to === axis) continue;
    if (from === axis) found.push(i > 0 ? [points[i - 1]!] : []);
    found.at(-1)!.push(point);
  }
  return found;
}

function threshold(name: string, items: number, y: number, labelAt = y): string {
  return [
    line(chart.left, y, chart.right, y, { opacity: 0.6, 'stroke-dasharray': '7 5' }),
    text(chart.right + 8, labelAt + 5, `${name} ${count(items)}`, { 'font-weight': 600 }),
  ].join('');
}

function levelsBetween(lowest: number, highest: number): number[] {
  const step = ticks(highest - lowest, 4)[1]!;
  const below = Math.floor(-lowest / step);
  return Array.from({ length: below + Math.floor(highest / step) + 1 }, (_, i) => (i - below) * step);
}

function monthsFrom(from: number, span: number): number[] {
  const step = ticks(span, 6)[1]!;
  return Array.from({ length: 8 }, (_, i) => (Math.ceil(from / step) + i) * step).filter(
    (month) => month <= from + span,
  );
}

function legend(): string[] {
  return [
    ['On hand', colours.onHand],
    ['Backorders', colours.backorders],
    ['Position', colours.onOrder],
  ].flatMap(([label, fill], i) => {
    const at = chart.right - 270 + i * 96 + (i === 2 ? 14 : 0);
    return [circle(at, chart.top - 31, 5, { fill: fill! }), text(at + 12, chart.top - 26, label!)];
  });
}
