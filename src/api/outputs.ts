/**
 * The finite number of a numeric output as a service gives it, JSON text (specification 2.5), where infinities may be
 * written as texts; undefined if there is none.
 */
export function numberIn(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const number = typeof value === 'string' && value !== '' ? Number(value) : value;
    return Number.isFinite(number) ? (number as number) : undefined;
  } catch {
    return undefined;
  }
}
