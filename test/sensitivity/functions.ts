/** The function of T. Ishigami and T. Homma (1990) with a = 7 and b = 0.1, over the unit cube. */
export function ishigami(unit: readonly number[]): number {
  const [a, b, c] = unit.map((u) => Math.PI * (2 * u - 1)) as [number, number, number];
  return Math.sin(a) + 7 * Math.sin(b) ** 2 + 0.1 * c ** 4 * Math.sin(a);
}

export const ISHIGAMI = { first: [0.313905, 0.442411, 0], total: [0.557589, 0.442411, 0.243684] };

const G = [0, 1, 4.5, 9, 99, 99, 99, 99];

/** The G function of I. M. Sobol' with coefficients 0, 1, 4.5, 9 and four times 99. */
export function sobolG(unit: readonly number[]): number {
  return G.reduce((product, a, at) => product * ((Math.abs(4 * unit[at]! - 2) + a) / (1 + a)), 1);
}

export const SOBOL_G = {
  first: [0.716192, 0.179048, 0.023676, 0.007162, 0.0000716, 0.0000716, 0.0000716, 0.0000716],
  total: [0.787144, 0.242198, 0.034317, 0.01046, 0.000105, 0.000105, 0.000105, 0.000105],
};

/** Makes names for a number of inputs. */
export function names(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `x${at + 1}`);
}
