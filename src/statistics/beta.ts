/**
 * The regularized incomplete beta function I_x(a, b).
 *
 * @param x - from 0 to 1
 */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const logFactor =
    a * Math.log(x) + b * Math.log1p(-x) + logGamma(a + b) - logGamma(a) - logGamma(b) - Math.log(a);
  return Math.exp(logFactor) * betaFraction(x, a, b);
}

/**
 * The continued fraction of the incomplete beta function: 26.5.8 of M. Abramowitz and I. A. Stegun, Handbook of
 * Mathematical Functions (1964), by the method of W. J. Lentz, "Generating Bessel functions in Mie scattering
 * calculations using continued fractions", Applied Optics 15 (1976) 668-671.
 *
 * @param x - at most (a + 1) / (a + b + 2), where the fraction converges fast
 */
export function betaFraction(x: number, a: number, b: number): number {
  let value = 1;
  let c = 1;
  let d = 0;
  for (let k = 1, change = 0; Math.abs(change - 1) > 4 * Number.EPSILON; k += 1) {
    const m = k >> 1;
    const numerator =
      k % 2 === 0
        ? (m * (b - m) * x) / ((a + k - 1) * (a + k))
        : (-(a + m) * (a + b + m) * x) / ((a + k - 1) * (a + k));
    c = 1 + numerator / c;
    d = 1 / (1 + numerator * d);
    change = c * d;
    value *= change;
  }
  return 1 / value;
}

/** log Γ(x) for x > 0, by Stirling's series (6.1.41 of the Handbook). An x below 15 is first raised to at least 15. */
function logGamma(x: number): number {
  let y = x;
  let product = 1;
  for (; y < 15; y += 1) product *= y;
  const z = 1 / (y * y);
  const series = (1 / 12 + z * (-1 / 360 + z * (1 / 1260 + z * (-1 / 1680 + z / 1188)))) / y;
  return (y - 0.5) * Math.log(y) - y + Math.log(2 * Math.PI) / 2 + series - Math.log(product);
}
