import { circle, element, line, polyline, rect, text } from '../lib/svg.ts';

export const WIDTH = 720;
export const HEIGHT = 400;

/** The content of a picture. Times are in seconds. */
export interface Shown {
  time: number;
  seconds: number;
  value: number;
  fail: boolean;
  failureRate: number;
}

const dial = { x: 200, y: 200, r: 140 };
const colours = { waiting: '#4c7fd9', done: '#2f9e6e', failing: '#e8590c' };

/** Draws a stopwatch, and beside it the inputs of the run and its outcome. */
export function draw(shown: Shown): string {
  return element('g', { 'font-family': 'system-ui, sans-serif' }, drawDial(shown), drawFacts(shown));
}

function shareOf({ time, seconds }: Shown): number {
  return seconds === 0 ? 1 : time / seconds;
}

function drawDial(shown: Shown): string {
  const share = shareOf(shown);
  const at = (turn: number, r: number): [number, number] => [
    dial.x + r * Math.sin(2 * Math.PI * turn),
    dial.y - r * Math.cos(2 * Math.PI * turn),
  ];
  const marks = Array.from({ length: 60 }, (_, i) => {
    const long = i % 5 === 0;
    return line(...at(i / 60, dial.r - (long ? 34 : 26)), ...at(i / 60, dial.r - 20), {
      opacity: long ? 0.55 : 0.25,
      'stroke-width': long ? 2 : 1,
    });
  });
  const steps = Math.ceil(share * 180);
  const arc = Array.from({ length: steps + 1 }, (_, i) => at((share * i) / Math.max(steps, 1), dial.r));
  const ring = { 'stroke-width': 14, 'stroke-linecap': 'round' };
  return [
    circle(dial.x, dial.y, dial.r, { ...ring, fill: 'none', stroke: 'currentColor', opacity: 0.12 }),
    polyline(arc, { ...ring, stroke: share < 1 ? colours.waiting : colours.done }),
    ...marks,
    circle(...at(share, dial.r), 11, { fill: share < 1 ? colours.waiting : colours.done }),
    text(dial.x, dial.y + 14, shown.time.toFixed(1), {
      'text-anchor': 'middle',
      'font-size': 56,
      'font-weight': 600,
    }),
    text(dial.x, dial.y + 44, `of ${shown.seconds} seconds`, {
      'text-anchor': 'middle',
      'font-size': 16,
      opacity: 0.8,
    }),
  ].join('');
}

function drawFacts(shown: Shown): string {
  const share = shareOf(shown);
  const { value, fail, failureRate } = shown;
  const certain = fail || failureRate === 1;
  const outcome = certain ? 'will fail' : share < 1 ? `will echo ${value}` : `echoes ${value}`;
  const rows: [label: string, value: string][] = [
    ['Value', String(value)],
    ['Told to fail', fail ? 'yes' : 'no'],
    ['Failure rate', `${failureRate * 100} %`],
    ['Outcome', outcome],
  ];
  const left = 420;
  const right = WIDTH - 40;
  const table = rows.flatMap(([label, content], i) => {
    const y = 126 + i * 46;
    return [
      text(left, y, label, { 'font-size': 16, opacity: 0.8 }),
      text(right, y, content, {
        'font-size': 16,
        'font-weight': 600,
        'text-anchor': 'end',
        ...(label === 'Outcome' && certain && { fill: colours.failing }),
      }),
      line(left, y + 14, right, y + 14, { opacity: 0.15 }),
    ];
  });
  return [
    text(left, 82, 'This run', { 'font-size': 22, 'font-weight': 600 }),
    ...table,
    rect(left, 320, right - left, 10, { rx: 5, fill: 'currentColor', opacity: 0.12 }),
    rect(left, 320, (right - left) * share, 10, { rx: 5, fill: share < 1 ? colours.waiting : colours.done }),
    text(right, 352, `${Math.floor(share * 100)} %`, { 'text-anchor': 'end', opacity: 0.8 }),
  ].join('');
}
