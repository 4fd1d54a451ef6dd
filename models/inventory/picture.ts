import { circle, count, element, line, rect, text } from '../lib/svg.ts';
import { drawCourse } from './course.ts';
import { colours, heading, type Shown, WIDTH } from './look.ts';

/** Draws the store with its open orders, the figures so far, and the last part of the inventory's course. */
export function draw(shown: Shown): string {
  return element(
    'g',
    { 'font-family': 'system-ui, sans-serif' },
    drawStock(shown),
    drawOrders(shown),
    drawBackorders(shown),
    drawFigures(shown),
    drawCourse(shown),
  );
}

const shelf = { left: 48, top: 68, width: 300, height: 180, most: 120 };

/** Draws the stock from the floor up, with at most 120 boxes. If there are more items, a box stands for several. */
function drawStock({ settings, system }: Shown): string {
  const { left, top, width, height, most } = shelf;
  const room = Math.max(settings.orderUpToLevel, settings.initialInventory, 1);
  const each = Math.ceil(room / most);
  const boxes = Math.ceil(room / each);
  const onHand = system.onHand.value;
  const columns = Math.max(Math.round(Math.sqrt((boxes * width) / height)), 1);
  const pitch = Math.min(width / columns, height / Math.ceil(boxes / columns), 60);
  const side = 0.8 * pitch;
  const grid = Array.from({ length: boxes }, (_, i) => {
    const x = left + (i % columns) * pitch;
    const y = top + height - side - Math.floor(i / columns) * pitch;
    const look: Record<string, string | number> =
      i < onHand / each
        ? { fill: colours.onHand }
        : { fill: 'none', stroke: 'currentColor', 'stroke-width': 1.5, opacity: 0.25 };
    return rect(x, y, side, side, { rx: 0.18 * side, ...look });
  });
  return [
    title(left, left + width, 'On hand', onHand, colours.onHand),
    ...grid,
    each > 1 ? text(left, top + height + 22, `a box is ${count(each)} items`, { opacity: 0.8 }) : '',
  ].join('');
}

const road = { left: 396, right: 612, y: 100 };

/** Draws the open orders on a road. The place of an order shows how much of its delivery lag has passed. */
function drawOrders({ system: { simulation, orders, onOrder } }: Shown): string {
  const { left, right, y } = road;
  const boxes = [...orders].map(({ items, placed, due }) => {
    const half = 12 + 4.5 * count(items).length;
    const share = due > placed ? (simulation.now - placed) / (due - placed) : 1;
    const x = right - half - share * (right - left - 2 * half);
    const label = { 'text-anchor': 'middle', 'font-weight': 600, fill: '#fff' };
    return [
      rect(x - half, y - 15, 2 * half, 30, {
        rx: 6,
        fill: colours.onOrder,
        stroke: '#1c6b49',
        'stroke-width': 1.5,
      }),
      text(x, y + 5, count(items), label),
    ].join('');
  });
  return [
    title(left, right, 'On order', onOrder, colours.onOrder),
    line(left, y + 22, right, y + 22, { opacity: 0.25, 'stroke-width': 2 }),
    ...boxes,
    text(left, y + 42, '← to the store', { opacity: 0.8 }),
  ].join('');
}

const owed = { left: 396, right: 612, top: 210, columns: 12, rows: 2, pitch: 18 };

/** Draws the backorders: a dot is an item. Items that do not fit are counted. */
function drawBackorders({ system }: Shown): string {
  const { left, right, top, columns, rows, pitch } = owed;
  const backorders = system.backorders.value;
  const dots = Array.from({ length: columns * rows }, (_, i) => {
    const x = left + ((i % columns) + 0.5) * pitch;
    const y = top + (Math.floor(i / columns) + 0.5) * pitch;
    return i < backorders
      ? circle(x, y, 6.5, { fill: colours.backorders })
      : circle(x, y, 2, { fill: 'currentColor', opacity: 0.18 });
  });
  const more = backorders - dots.length;
  return [
    title(left, right, 'Backorders', backorders, colours.backorders, top - 16),
    ...dots,
    more > 0 ? text(left, top + rows * pitch + 18, `and ${count(more)} more`, { opacity: 0.8 }) : '',
  ].join('');
}

const table = { left: 656, right: WIDTH - 40, top: 92, pitch: 32 };

/** Draws the costs, each in the colour of its cause. */
function drawFigures({ settings, system }: Shown): string {
  const { left, right, top, pitch } = table;
  const { costs, serviceLevel } = system;
  const warm = settings.start + settings.warmUp;
  const since = system.simulation.now < warm ? 'warming up' : `from month ${count(warm)} on`;
  const parts = [
    ['Ordering cost', costs?.ordering, colours.onOrder],
    ['Holding cost', costs?.holding, colours.onHand],
    ['Shortage cost', costs?.shortage, colours.backorders],
  ] as const;
  const rows = parts.map(([label, cost, fill], i) => {
    const y = top + i * pitch;
    return [
      circle(left + 5, y - 5, 5, { fill }),
      text(left + 18, y, label, { opacity: 0.8 }),
      figure(y, money(cost)),
    ].join('');
  });
  const total = costs?.total ?? 0;
  let x = left;
  const bar = parts.map(([, cost = 0, fill]) => {
    const width = total > 0 ? ((right - left) * cost) / total : 0;
    x += width;
    return rect(x - width, top + 2.5 * pitch, width, 10, { fill });
  });
  return [
    text(left, 42, 'Figures', heading),
    text(right, 42, since, { 'text-anchor': 'end', opacity: 0.8 }),
    ...rows,
    rect(left, top + 2.5 * pitch, right - left, 10, { fill: 'currentColor', opacity: 0.12 }),
    ...bar,
    text(left, top + 3.6 * pitch, 'Total cost a month', { opacity: 0.8 }),
    figure(top + 3.6 * pitch, money(costs?.total)),
    line(left, top + 4.05 * pitch, right, top + 4.05 * pitch, { opacity: 0.15 }),
    text(left, top + 4.8 * pitch, 'Service level', { opacity: 0.8 }),
    figure(top + 4.8 * pitch, serviceLevel === null ? '–' : `${(100 * serviceLevel).toFixed(1)} %`),
  ].join('');
}

function title(left: number, right: number, label: string, items: number, fill: string, y = 42): string {
  return [
    text(left, y, label, heading),
    text(right, y, count(items), { 'text-anchor': 'end', 'font-weight': 600, fill }),
  ].join('');
}

function figure(y: number, content: string): string {
  return text(table.right, y, content, { ...heading, 'text-anchor': 'end' });
}

function money(cost: number | undefined): string {
  return cost === undefined ? '–' : cost.toFixed(2);
}
