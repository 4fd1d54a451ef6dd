import type { Stream } from '../../src/campaign/sampling/stream.ts';

/** A distribution of an output, with its true mean and standard deviation. */
export interface Drawn {
  name: string;
  mean: number;
  sd: number;
  draw: (stream: Stream) => number;
}

/** 0 or `jump`. */
export function twoValued(chance: number, jump = 1): Drawn {
  return {
    name: jump === 1 ? `0/1 number, p = ${chance}` : `0 or ${jump}, p = ${chance}`,
    mean: chance * jump,
    sd: jump * Math.sqrt(chance * (1 - chance)),
    draw: (stream) => (stream.uniform() < chance ? jump : 0),
  };
}

export function poisson(mean: number): Drawn {
  const draw = (stream: Stream): number => {
    let count = 0;
    for (let left = Math.exp(-mean), product = stream.uniform(); product > left; count += 1)
      product *= stream.uniform();
    return count;
  };
  return { name: `Poisson, mean ${mean}`, mean, sd: Math.sqrt(mean), draw };
}

/** A loss with an exponential size, in some of the runs. */
export function rareLoss(chance: number, size: number): Drawn {
  return {
    name: `0 or an exponential loss of ${size}, p = ${chance}`,
    mean: chance * size,
    sd: size * Math.sqrt(2 * chance - chance ** 2),
    draw: (stream) => (stream.uniform() < chance ? exponential(stream, size) : 0),
  };
}

export function exponential(stream: Stream, mean: number): number {
  return -mean * Math.log(1 - stream.uniform());
}
