import { axisMarks, circle, count, element, line, polyline, rect, text, ticks } from '../lib/svg.ts';
import type { Observation } from './observations.ts';
import type { State } from './sir.ts';

export const WIDTH = 960;
export const HEIGHT = 540;

const compartments = [
  { key: 'susceptible', label: 'Susceptible', colour: '#4c7fd9' },
  { key: 'infected', label: 'Infected', colour: '#e8590c' },
  { key: 'recovered', label: 'Recovered', colour: '#2f9e6e' },
] as const;

/** The content of a picture: the course of the epidemic up to a time. */
export interface Shown {
  population: number;
  days: number;
  observed: readonly Observation[];
  /** Times of the course so far, ascending; the last one is now. */
  times: readonly number[];
  states: readonly State[];
}

/** Draws the curves of the three compartments, and the population with each person in the colour of the compartment. */
export function draw(shown: Shown): string {
  return element(
    'g',
    { 'font-family': 'system-ui, sans-serif' },
    drawCurves(shown),
    drawPeople(shown),
    drawCounts(shown),
  );
}

const chart = { left: 72, top: 64, width: 500, height: 400 };

function drawCurves({ population, days, observed, times, states }: Shown): string {
  const x = (day: number) => chart.left + (chart.width * day) / days;
  const y = (persons: number) => chart.top + chart.height * (1 - persons / population);
  const bottom = chart.top + chart.height;
  const right = chart.left + chart.width;
  const now = times.at(-1)!;
  const curves = compartments.map(({ key, colour }) =>
    polyline(
      times.map((time, i) => [x(time), y(states[i]![key])]),
      { stroke: colour, 'stroke-width': 3, 'stroke-linejoin': 'round', 'stroke-linecap': 'round' },
    ),
  );
  const heads = compartments.map(({ key, colour }) =>
    circle(x(now), y(states.at(-1)![key]), 6, { fill: colour }),
  );
  const ring = { fill: 'none', stroke: 'currentColor', 'stroke-width': 1.5, opacity: 0.75 };
  return [
    text(chart.left, 34, 'Persons', { 'font-size': 16, 'font-weight': 600 }),
    observed.length > 0
      ? circle(right - 116, 29, 4, ring) + text(right, 34, 'observed cases', { 'text-anchor': 'end' })
      : '',
    ...axisMarks({ left: chart.left, right, bottom }, [ticks(population, 5), y], [ticks(days, 8), x]),
    text(chart.left + chart.width / 2, bottom + 52, 'Day', { 'text-anchor': 'middle', 'font-weight': 600 }),
    line(x(now), chart.top, x(now), bottom, { opacity: 0.35, 'stroke-dasharray': '4 4' }),
    ...curves,
    ...heads,
    ...observed.map(({ day, cases }) => circle(x(day), y(cases), 4, ring)),
  ].join('');
}

const crowd = { left: 632, top: 64, width: 280, side: 20 };

/**
 * Draws the population as at most 400 dots. They change colour in a fixed order, from one place outwards, like an
 * infection that spreads.
 */
function drawPeople({ population, states }: Shown): string {
  const { infected, recovered } = states.at(-1)!;
  const dots = Math.min(population, crowd.side ** 2);
  const recoveredDots = Math.round((recovered / population) * dots);
  const everInfectedDots = Math.round(((recovered + infected) / population) * dots);
  const compartmentAt = (rank: number) => (rank < recoveredDots ? 2 : rank < everInfectedDots ? 1 : 0);
  const side = Math.ceil(Math.sqrt(dots));
  const places = spreadingOrder(dots, side);
  const crowds = compartments.map(({ colour }, compartment) => {
    // a line of no length with round ends is a dot
    const path = places.flatMap(([x, y], rank) =>
      compartmentAt(rank) === compartment ? [`M${x} ${y}h0`] : [],
    );
    return element('path', {
      d: path.join(''),
      stroke: colour,
      // in a small population, dots are no larger than with a distance of 40 between them
      'stroke-width': 0.7 * Math.min(crowd.width / side, 40),
      'stroke-linecap': 'round',
    });
  });
  const each = population / dots;
  const legend = each === 1 ? 'a dot is a person' : `a dot is ${count(Number(each.toPrecision(2)))} persons`;
  return [
    text(crowd.left, 34, 'Population', { 'font-size': 16, 'font-weight': 600 }),
    text(crowd.left + crowd.width, 34, legend, { 'text-anchor': 'end', opacity: 0.8 }),
    ...crowds,
  ].join('');
}

/**
 * The centres of the places in a square, in the order in which the infection spreads. The place nearest to the start
 * comes first. A small offset of each distance makes the order look random.
 */
function spreadingOrder(dots: number, side: number): [x: number, y: number][] {
  const pitch = crowd.width / side;
  const places = Array.from({ length: dots }, (_, i) => {
    const [column, row] = [i % side, Math.floor(i / side)];
    // the same offsets in each picture
    const jitter = (side / 5) * (((i * 7919) % 101) / 101);
    const distance = Math.hypot(column - 0.4 * side, row - 0.55 * side) + jitter;
    const place: [number, number] = [
      tenth(crowd.left + (column + 0.5) * pitch),
      tenth(crowd.top + (row + 0.5) * pitch),
    ];
    return { distance, place };
  });
  return places.sort((a, b) => a.distance - b.distance).map(({ place }) => place);
}

function tenth(pixels: number): number {
  return Math.round(pixels * 10) / 10;
}

/** Draws the legend: colour, name, number and share of each compartment. */
function drawCounts({ population, states }: Shown): string {
  const { width } = crowd;
  const top = crowd.top + width + 26;
  return compartments
    .map(({ key, label, colour }, i) => {
      const y = top + i * 40;
      const persons = states.at(-1)![key];
      return [
        rect(crowd.left, y, width, 6, { rx: 3, fill: colour, opacity: 0.22 }),
        rect(crowd.left, y, (width * persons) / population, 6, { rx: 3, fill: colour }),
        text(crowd.left, y + 24, label),
        text(crowd.left + width, y + 24, count(Math.round(persons)), {
          'text-anchor': 'end',
          'font-weight': 600,
        }),
      ].join('');
    })
    .join('');
}
