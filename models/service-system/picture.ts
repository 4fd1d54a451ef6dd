import type { TimeSeries } from '../kernel/index.ts';
import { axisMarks, circle, count, element, line, polyline, rect, text, ticks } from '../lib/svg.ts';
import type { ServiceSystem, Settings } from './system.ts';

export const WIDTH = 960;
export const HEIGHT = 540;

const colours = { waiting: '#e8590c', busy: '#4c7fd9' };
const heading = { 'font-size': 16, 'font-weight': 600 };

/** The content of a picture: the system at a time, and samples of its course so far at equal distances of time. */
export interface Shown {
  settings: Settings;
  system: ServiceSystem;
  waiting: TimeSeries;
  inService: TimeSeries;
  /** The length of the drawn part of the course. */
  span: number;
}

/** Draws the line of customers in front of the servers, the figures so far, and the last part of the queue's course. */
export function draw(shown: Shown): string {
  return element(
    'g',
    { 'font-family': 'system-ui, sans-serif' },
    drawLine(shown.system.desk.waiting.value),
    drawServers(shown.system.desk),
    drawFigures(shown),
    drawCourse(shown),
  );
}

/** Parts of the picture that can be shown alone. */
export const viewAreas = [
  { name: 'Line', x: 28, y: 16, width: 340, height: 270 },
  { name: 'Servers', x: 376, y: 16, width: 256, height: 270 },
  { name: 'Figures', x: 636, y: 16, width: 304, height: 270 },
  { name: 'Course', x: 0, y: 290, width: WIDTH, height: HEIGHT - 290 },
] as const;

const row = { left: 48, top: 68, columns: 10, rows: 6, pitch: 30 };

/**
 * Draws the line of customers. Its head is beside the servers, and the line continues in the next row. Customers that
 * do not fit are counted.
 */
function drawLine(waiting: number): string {
  const places = row.columns * row.rows;
  const right = row.left + row.columns * row.pitch;
  const spots = Array.from({ length: places }, (_, i) => {
    const x = right - ((i % row.columns) + 0.5) * row.pitch;
    const y = row.top + (Math.floor(i / row.columns) + 0.5) * row.pitch;
    return i < waiting
      ? circle(x, y, 10.5, { fill: colours.waiting })
      : circle(x, y, 3, { fill: 'currentColor', opacity: 0.18 });
  });
  const below = row.top + row.rows * row.pitch + 22;
  return [
    text(row.left, 42, 'Waiting', heading),
    text(right, 42, count(waiting), { 'text-anchor': 'end', 'font-weight': 600, fill: colours.waiting }),
    ...spots,
    waiting > places ? text(row.left, below, `and ${count(waiting - places)} more`, { opacity: 0.8 }) : '',
  ].join('');
}

const room = { left: 396, top: 68, width: 216, height: 180, most: 120 };

/** Draws the servers as at most 120 boxes. If there are more servers, a box stands for several. */
function drawServers({ servers, busy }: ServiceSystem['desk']): string {
  const each = Math.ceil(servers / room.most);
  const boxes = Math.ceil(servers / each);
  const filled = Math.round((busy.value / servers) * boxes);
  const columns = Math.ceil(Math.sqrt((boxes * room.width) / room.height));
  const pitch = Math.min(room.width / columns, room.height / Math.ceil(boxes / columns), 60);
  const side = 0.8 * pitch;
  const grid = Array.from({ length: boxes }, (_, i) => {
    const x = room.left + (i % columns) * pitch;
    const y = room.top + Math.floor(i / columns) * pitch;
    const look: Record<string, string | number> =
      i < filled
        ? { fill: colours.busy }
        : { fill: 'none', stroke: 'currentColor', 'stroke-width': 1.5, opacity: 0.35 };
    return rect(x, y, side, side, { rx: 0.18 * side, ...look });
  });
  return [
    text(room.left, 42, 'Busy servers', heading),
    text(room.left + room.width, 42, `${count(busy.value)} of ${count(servers)}`, {
      'text-anchor': 'end',
      'font-weight': 600,
      fill: colours.busy,
    }),
    ...grid,
    each > 1
      ? text(room.left, room.top + room.height + 22, `a box is ${each} servers`, { opacity: 0.8 })
      : '',
  ].join('');
}

const table = { left: 656, right: WIDTH - 40, top: 90, pitch: 46 };

function drawFigures({ settings, system }: Shown): string {
  const { desk, served, utilization } = system;
  const isWarm = system.simulation.now >= settings.start + settings.warmUp;
  const figures: [label: string, figure: string][] = [
    ['Server utilization', shown(utilization, 3)],
    ['Mean queue size', shown(desk.waiting.mean, 2)],
    ['Mean waiting time', shown(desk.waits.mean, 2, ' min')],
    ['Customers served', count(served)],
  ];
  const rows = figures.flatMap(([label, figure], i) => {
    const y = table.top + i * table.pitch;
    return [
      text(table.left, y, label, { opacity: 0.8 }),
      text(table.right, y, figure, { ...heading, 'text-anchor': 'end' }),
      line(table.left, y + 14, table.right, y + 14, { opacity: 0.15 }),
    ];
  });
  const since = isWarm ? `from minute ${count(settings.start + settings.warmUp)} on` : 'warming up';
  return [
    text(table.left, 42, 'Figures', heading),
    text(table.right, 42, since, { 'text-anchor': 'end', opacity: 0.8 }),
    ...rows,
  ].join('');
}

const chart = { left: 72, top: 344, width: WIDTH - 72 - 40, height: 132 };

/** Draws the course over the last `span`. If the run is shorter than that, its start is at the left. */
function drawCourse({ settings, system, waiting, inService, span }: Shown): string {
  const from = Math.max(settings.start, system.simulation.now - span);
  const first = waiting.times.findLastIndex((time) => time < from) + 1;
  const times = waiting.times.slice(first);
  const curves = [
    { label: 'In service', colour: colours.busy, values: inService.values.slice(first) },
    { label: 'Waiting', colour: colours.waiting, values: waiting.values.slice(first) },
  ];
  const most = Math.max(settings.servers, 4, ...curves.flatMap(({ values }) => values));
  const bottom = chart.top + chart.height;
  const right = chart.left + chart.width;
  const x = (time: number) => chart.left + (chart.width * (time - from)) / span;
  const y = (customers: number) => bottom - (chart.height * customers) / most;

  const step = ticks(span, 6)[1]!;
  const minutes = Array.from({ length: 8 }, (_, i) => (Math.ceil(from / step) + i) * step).filter(
    (minute) => minute <= from + span,
  );
  const lines = curves.flatMap(({ label, colour, values }, i) => {
    const points = values.map((value, at) => [x(times[at]!), y(value)] as const);
    const style = { stroke: colour, 'stroke-width': 2, 'stroke-linejoin': 'round' };
    const end = points.at(-1)!;
    const key = right - 166 + i * 100;
    return [
      polyline([[points[0]![0], bottom], ...points, [end[0], bottom]], { fill: colour, opacity: 0.14 }),
      polyline(points, style),
      circle(...end, 5, { fill: colour }),
      circle(key, chart.top - 31, 5, { fill: colour }),
      text(key + 12, chart.top - 26, label),
    ];
  });
  return [
    text(row.left, chart.top - 26, 'Customers', heading),
    ...axisMarks({ left: chart.left, right, bottom }, [ticks(most, 3), y], [minutes, x]),
    text(chart.left + chart.width / 2, bottom + 48, 'Minute', {
      'text-anchor': 'middle',
      'font-weight': 600,
    }),
    ...lines,
  ].join('');
}

function shown(figure: number | null, digits: number, units = ''): string {
  return figure === null ? '–' : `${figure.toFixed(digits)}${units}`;
}
