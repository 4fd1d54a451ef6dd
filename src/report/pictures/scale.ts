/**
 * Chooses a colour scale on which low values can be distinguished. It is logarithmic if all values are positive and the
 * highest is more than ten times the lowest. It is a square-root scale if the lowest value is zero and the highest is
 * more than ten times the lowest positive value. Otherwise it is linear.
 */
export function colourScale(values: readonly number[]): 'log' | 'sqrt' | 'linear' {
  const min = values.reduce((a, b) => Math.min(a, b), Infinity);
  const max = values.reduce((a, b) => Math.max(a, b), -Infinity);
  if (min > 0) return max / min > 10 ? 'log' : 'linear';
  const smallest = values.reduce((a, b) => (b > 0 ? Math.min(a, b) : a), Infinity);
  return min === 0 && max / smallest > 10 ? 'sqrt' : 'linear';
}
