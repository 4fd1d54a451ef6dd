/** Special functions for the expected values of distributions. */

/** Lanczos' approximation of Gamma(x), x > 0, to about 15 digits. */
export function gammaFunction(x: number): number {
  if (x < 0.5) return Math.PI / (Math.sin(Math.PI * x) * gammaFunction(1 - x));
  const coefficients = [
    676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406, 12.507343278686905,
    -0.13857109526572012, 9.984369578019572e-6, 1.5056327351493116e-7,
  ];
  const y = x - 1;
  const sum = coefficients.reduce((sum, c, i) => sum + c / (y + i + 1), 0.9999999999998099);
  const t = y + 7.5;
  return Math.sqrt(2 * Math.PI) * t ** (y + 0.5) * Math.exp(-t) * sum;
}

/**
 * The cdf of a gamma distribution with scale 1, which is the regularized lower incomplete gamma function. The
 * function computes it by a series.
 */
export function gammaCdf(shape: number, x: number): number {
  if (x <= 0) return 0;
  let term = 1 / shape;
  let sum = term;
  for (let n = 1; term > sum * 1e-17; n++) {
    term *= x / (shape + n);
    sum += term;
  }
  return (sum * Math.exp(-x + shape * Math.log(x))) / gammaFunction(shape);
}

/** The cdf of the standard normal distribution. It uses that the square of a normal number has a gamma distribution. */
export function normalCdf(x: number): number {
  const half = gammaCdf(0.5, (x * x) / 2) / 2;
  return x < 0 ? 0.5 - half : 0.5 + half;
}
