import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { byName } from '../../api/index.ts';

/**
 * Values of at least this many characters are stored compressed: data sets, histograms, long texts. Numbers are never
 * that long.
 */
const LARGE = 1_000;

/** The outputs of a run as columns. */
export interface OutputColumns {
  /** JSON of the small values by name. */
  outputs: string;
  /** JSON of the large values by name, compressed with DEFLATE (RFC 1951); null when there are none. */
  packed: Uint8Array | null;
}

export function toColumns(values: Readonly<Record<string, string>>): OutputColumns {
  const all = Object.entries(values);
  const large = all.filter(([, value]) => value.length >= LARGE);
  if (large.length === 0) return { outputs: JSON.stringify(values), packed: null };
  const small = all.filter(([, value]) => value.length < LARGE);
  return {
    outputs: JSON.stringify(Object.fromEntries(small)),
    // this is the fastest level. For numbers, the best level saves only a little more space
    packed: deflateRawSync(JSON.stringify(Object.fromEntries(large)), { level: 1 }),
  };
}

/** The output values of a run by name; empty for a run without outputs. */
export function toOutputs({
  outputs,
  packed,
}: {
  outputs: string | null;
  packed: Uint8Array | null;
}): Record<string, string> {
  const small = JSON.parse(outputs ?? '{}') as Record<string, string>;
  return byName(packed === null ? small : { ...small, ...unpacked(packed) });
}

/** The large values of a run by name. */
export function unpacked(packed: Uint8Array): Record<string, string> {
  return JSON.parse(inflateRawSync(packed).toString()) as Record<string, string>;
}
