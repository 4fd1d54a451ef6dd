import { type Derivative, integrate, type Step } from './dormand-prince.ts';

/** Rates are per day, times are in days. */
export interface Parameters {
  population: number;
  initiallyInfected: number;
  contactRate: number;
  recoveryRate: number;
  days: number;
}

export interface State {
  susceptible: number;
  infected: number;
  recovered: number;
}

export interface Course {
  /** The state at each of the requested times. */
  states: State[];
  peakInfected: number;
  peakDay: number;
  /** The state at the end. */
  last: State;
}

const TOLERANCE = { relative: 1e-9, absolute: 1e-9 };

/**
 * The course of an epidemic by the equations of Kermack and McKendrick, S' = -βSI/N, I' = βSI/N - γI, R' = γI.
 *
 * @param times - ascending, from 0 to `days`
 */
export function solve(
  { population, initiallyInfected, contactRate, recoveryRate, days }: Parameters,
  times: readonly number[],
): Course {
  const derivative: Derivative = (_t, [s, i]) => {
    const infections = (contactRate * s! * i!) / population;
    const recoveries = recoveryRate * i!;
    return [-infections, infections - recoveries, recoveries];
  };
  const start = [population - initiallyInfected, initiallyInfected, 0];
  const states: State[] = times.filter((time) => time === 0).map(() => toState(start));
  let peak = { infected: initiallyInfected, day: 0 };
  let last = start;
  for (const step of integrate(derivative, 0, days, start, TOLERANCE)) {
    while (states.length < times.length && times[states.length]! <= step.to) {
      states.push(toState(step.at(times[states.length]!)));
    }
    last = step.at(step.to);
    const day = highest(step, (t) => derivative(t, step.at(t))[1]!);
    const infected = step.at(day)[1]!;
    if (infected > peak.infected) peak = { infected, day };
  }
  return { states, peakInfected: peak.infected, peakDay: peak.day, last: toState(last) };
}

/**
 * The time in a step at which the quantity with this slope is highest: an end of the step, or where the slope turns
 * negative.
 */
function highest({ from, to }: Step, slope: (t: number) => number): number {
  if (slope(to) > 0) return to;
  if (slope(from) <= 0) return from;
  let [low, high] = [from, to];
  for (let middle = (low + high) / 2; low < middle && middle < high; middle = (low + high) / 2) {
    if (slope(middle) > 0) low = middle;
    else high = middle;
  }
  return low;
}

function toState([susceptible, infected, recovered]: readonly number[]): State {
  return { susceptible: susceptible!, infected: infected!, recovered: recovered! };
}
