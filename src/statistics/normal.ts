/**
 * The quantile of the standard normal distribution, to about 1 part in 10^16. The shipped models draw random numbers
 * with this function. If one bit of its results changed, the results of these models would change without a new
 * version, because this file is not in the models' folders. M. J. Wichura, "Algorithm AS 241: the percentage points of
 * the normal distribution", Applied Statistics 37 (1988) 477-484, PPND16.
 *
 * @param p - between 0 and 1, both excluded
 */
export function normalQuantile(p: number): number {
  const q = p - 0.5;
  if (Math.abs(q) <= 0.425) {
    const r = 0.180625 - q * q;
    return (q * polynomial(A, r)) / polynomial(B, r);
  }
  const r = Math.sqrt(-Math.log(q < 0 ? p : 1 - p));
  const tail =
    r <= 5 ? polynomial(C, r - 1.6) / polynomial(D, r - 1.6) : polynomial(E, r - 5) / polynomial(F, r - 5);
  return q < 0 ? -tail : tail;
}

/**
 * The probability that a standard normal number is below x, to 2 parts in 10^15. The precision also holds in the lower
 * tail, because limits far from the mean need it. An upper tail is `normalCdf(-x)`. Below about -37.5 a double has
 * fewer digits for so small a number, and below about -38.5 the result is 0. Near 0 it uses the series of G. Marsaglia,
 * "Evaluating the normal distribution", Journal of Statistical Software 11(4) (2004), and farther out Laplace's
 * continued fraction (Abramowitz and Stegun, 26.2.14).
 */
export function normalCdf(x: number): number {
  if (Math.abs(x) > ALL_WITHIN) return x < 0 ? 0 : 1;
  if (Math.abs(x) < SERIES_UP_TO) return 0.5 + density(x) * series(x);
  const tail = density(x) / fraction(Math.abs(x));
  return x < 0 ? tail : 1 - tail;
}

/** Farther from 0, the result is 0 or 1 in a double. */
const ALL_WITHIN = 40;
/**
 * The series is used for absolute values of x below this limit, and the fraction for all others. In a lower tail the
 * series is subtracted from 0.5, which loses digits. The fraction needs more terms closer to 0.
 */
const SERIES_UP_TO = 1.5;

/** x + x^3/3 + x^5/(3·5) + ... */
function series(x: number): number {
  let sum = x;
  let term = x;
  for (let odd = 3, before = 0; sum !== before; odd += 2) {
    before = sum;
    term *= (x * x) / odd;
    sum += term;
  }
  return sum;
}

/**
 * x + 1/(x + 2/(x + 3/(x + ...))), computed from the end. At 1.5, where the fraction needs the most terms, `TERMS`
 * terms are enough for its last bit.
 */
function fraction(x: number): number {
  let value = x;
  for (let term = TERMS; term >= 1; term -= 1) value = x + term / value;
  return value;
}

const TERMS = 200;

/**
 * The density of the standard normal distribution. The square of x is computed in two parts, and the first part is
 * exact. Otherwise rounding would lose about three digits of the density far from 0.
 */
function density(x: number): number {
  const near = Math.trunc(x * 16) / 16;
  return Math.exp((-near * near) / 2) * Math.exp((-(x - near) * (x + near)) / 2) * INVERSE_ROOT_2_PI;
}

const INVERSE_ROOT_2_PI = 0.3989422804014327;

// the coefficients of the paper, with as many digits as a double has
type Coefficients = readonly [number, number, number, number, number, number, number, number];

const A: Coefficients = [
  3.3871328727963665, 133.14166789178438, 1971.5909503065513, 13731.69376550946, 45921.95393154987,
  67265.7709270087, 33430.57558358813, 2509.0809287301227,
];
const B: Coefficients = [
  1, 42.31333070160091, 687.1870074920579, 5394.196021424751, 21213.794301586597, 39307.89580009271,
  28729.085735721943, 5226.495278852854,
];
const C: Coefficients = [
  1.4234371107496835, 4.630337846156546, 5.769497221460691, 3.6478483247632045, 1.2704582524523684,
  0.2417807251774506, 0.022723844989269184, 0.0007745450142783414,
];
const D: Coefficients = [
  1, 2.053191626637759, 1.6763848301838038, 0.6897673349851, 0.14810397642748008, 0.015198666563616457,
  0.0005475938084995345, 1.0507500716444169e-9,
];
const E: Coefficients = [
  6.657904643501103, 5.463784911164114, 1.7848265399172913, 0.29656057182850487, 0.026532189526576124,
  0.0012426609473880784, 0.000027115555687434876, 2.0103343992922881e-7,
];
const F: Coefficients = [
  1, 0.599832206555888, 0.1369298809227358, 0.014875361290850615, 0.0007868691311456133,
  0.000018463183175100548, 1.421511758316446e-7, 2.0442631033899397e-15,
];

function polynomial(c: Coefficients, x: number): number {
  return ((((((c[7] * x + c[6]) * x + c[5]) * x + c[4]) * x + c[3]) * x + c[2]) * x + c[1]) * x + c[0];
}
