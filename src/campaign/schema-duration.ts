import * as z from 'zod';

const DURATION = 'expected seconds, or a text such as 90 s, 10 min, 2 h or 1 d';
const UNITS = { s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000 };
/** The longest duration. A longer duration is probably a typing error. */
const LONGEST_MS = 366 * UNITS.d;
const WRITTEN_DURATION = /^\s*(\d+(?:\.\d+)?)(?:\s*(s|min|h|d))?\s*$/;

/** A duration as people write it; parsed into ms. */
export const Duration = z
  .union(
    [
      z.number().meta({ exclusiveMinimum: 0, maximum: LONGEST_MS / UNITS.s }),
      z.string().meta({ pattern: WRITTEN_DURATION.source }),
    ],
    DURATION,
  )
  .transform((written) => {
    if (typeof written === 'number') return written * UNITS.s;
    const [, amount = '', unit = 's'] = WRITTEN_DURATION.exec(written) ?? [];
    return amount === '' ? NaN : Number(amount) * UNITS[unit as keyof typeof UNITS];
  })
  .refine((ms) => Number.isFinite(ms), { error: DURATION, abort: true })
  .refine((ms) => ms > 0 && ms <= LONGEST_MS, 'expected more than 0, and at most 366 days')
  .meta({ title: 'duration' });
