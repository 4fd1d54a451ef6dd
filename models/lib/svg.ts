/** SVG as text, for the pictures of models. Text has the colour of the page's text. */

type Attributes = Record<string, string | number>;

export function element(name: string, attributes: Attributes, ...content: string[]): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escape(shown(value))}"`);
  return `<${name}${written.join('')}>${content.join('')}</${name}>`;
}

export function text(x: number, y: number, content: string, attributes: Attributes = {}): string {
  return element('text', { x, y, fill: 'currentColor', 'font-size': 14, ...attributes }, escape(content));
}

export function line(x1: number, y1: number, x2: number, y2: number, attributes: Attributes = {}): string {
  return element('line', { x1, y1, x2, y2, stroke: 'currentColor', ...attributes });
}

export function rect(x: number, y: number, width: number, height: number, attributes: Attributes): string {
  return element('rect', { x, y, width, height, ...attributes });
}

export function circle(cx: number, cy: number, r: number, attributes: Attributes): string {
  return element('circle', { cx, cy, r, ...attributes });
}

/** A polyline through points. */
export function polyline(
  points: readonly (readonly [x: number, y: number])[],
  attributes: Attributes,
): string {
  const path = points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${shown(x)} ${shown(y)}`).join('');
  return element('path', { d: path, fill: 'none', ...attributes });
}

/** About `count` round numbers from 0 to at most `max`. */
export function ticks(max: number, count: number): number[] {
  const rough = max / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= rough)!;
  return Array.from({ length: Math.floor(max / step + 1e-9) + 1 }, (_, i) =>
    Number((i * step).toPrecision(12)),
  );
}

/** The marks of both axes of a chart: lines across it, the one at 0 stronger, and ticks below it. */
export function axisMarks(
  { left, right, bottom }: { left: number; right: number; bottom: number },
  [rows, y]: readonly [values: readonly number[], y: (value: number) => number],
  [columns, x]: readonly [values: readonly number[], x: (value: number) => number],
): string[] {
  return [
    ...rows.flatMap((value) => [
      line(left, y(value), right, y(value), { opacity: value === 0 ? 0.45 : 0.13 }),
      text(left - 10, y(value) + 5, count(value), { 'text-anchor': 'end', opacity: 0.8 }),
    ]),
    ...columns.flatMap((value) => [
      line(x(value), bottom, x(value), bottom + 6, { opacity: 0.45 }),
      text(x(value), bottom + 24, count(value), { 'text-anchor': 'middle', opacity: 0.8 }),
    ]),
  ];
}

/** A number with thousands separators. */
export function count(value: number): string {
  return value.toLocaleString('en');
}

/** Rounds a number to tenths of a pixel. Numbers up to 10, such as an opacity, are rounded to hundredths. */
function shown(value: string | number): string {
  return typeof value === 'number'
    ? String(value > 10 ? Math.round(value * 10) / 10 : Math.round(value * 100) / 100)
    : value;
}

function escape(content: string): string {
  return content.replaceAll(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
