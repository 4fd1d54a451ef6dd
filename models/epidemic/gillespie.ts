import type { Course, Parameters, State } from './sir.ts';

/**
 * Simulates one course of the stochastic form of the model: persons are infected and recover one by one, at the rates
 * of the deterministic form. This is the direct method of D. T. Gillespie, "Exact stochastic simulation of coupled
 * chemical reactions", J. Phys. Chem. 81 (1977) 2340-2361.
 *
 * @param times - ascending, from 0 to `days`
 * @param uniform - independent numbers between 0 and 1, both excluded
 */
export function simulate(
  { population, initiallyInfected, contactRate, recoveryRate, days }: Parameters,
  times: readonly number[],
  uniform: () => number,
): Course {
  const now: State = {
    susceptible: population - initiallyInfected,
    infected: initiallyInfected,
    recovered: 0,
  };
  const states: State[] = [];
  let peakInfected = initiallyInfected;
  let peakDay = 0;
  let t = 0;
  while (t < days) {
    const infection = (contactRate * now.susceptible * now.infected) / population;
    const total = infection + recoveryRate * now.infected;
    // without another event, the state stays the same until the end
    const next = total > 0 ? t - Math.log(uniform()) / total : Infinity;
    while (states.length < times.length && times[states.length]! < next) states.push({ ...now });
    t = next;
    if (t > days) break;
    if (uniform() * total < infection) {
      now.susceptible--;
      now.infected++;
    } else {
      now.infected--;
      now.recovered++;
    }
    if (now.infected > peakInfected) {
      peakInfected = now.infected;
      peakDay = t;
    }
  }
  while (states.length < times.length) states.push({ ...now });
  return { states, peakInfected, peakDay, last: now };
}
