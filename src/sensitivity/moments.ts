/** Mean and variance (over n − 1) of numbers, in two passes. */
export function momentsOf(values: ArrayLike<number>): { mean: number; variance: number } {
  const n = values.length;
  let sum = 0;
  for (let at = 0; at < n; at += 1) sum += values[at]!;
  const mean = sum / n;
  let squares = 0;
  for (let at = 0; at < n; at += 1) squares += (values[at]! - mean) ** 2;
  return { mean, variance: n > 1 ? squares / (n - 1) : 0 };
}
