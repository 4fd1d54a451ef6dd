import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Characters from which on a value is kept compressed: data sets, histograms, long texts. Numbers are never that long. */
const LARGE = 1_000;

/** The outputs of a run as columns. */
export interface OutputColumns {
  /** JSON of the values by name, without the large ones. */
  outputs: string;
  /** JSON of the large ones, by DEFLATE (RFC 1951); null where there are none. */
  packed: Uint8Array | null;
}

export function toColumns(values: Readonly<Record<string, string>>): OutputColumns {
  const all = Object.entries(values);
  const large = all.filter(([, value]) => value.length >= LARGE);
  if (large.length === 0) return { outputs: JSON.stringify(values), packed: null };
  const small = all.filter(([, value]) => value.length < LARGE);
  return {
    outputs: JSON.stringify(Object.fromEntries(small)),
    // the fastest level: of numbers the best one saves little more
    packed: deflateRawSync(JSON.stringify(Object.fromEntries(large)), { level: 1 }),
  };
}

/** The values by name, of a run that may have none. */
export function toOutputs({
  outputs,
  packed,
}: {
  outputs: string | null;
  packed: Uint8Array | null;
}): Record<string, string> {
  const small = JSON.parse(outputs ?? '{}') as Record<string, string>;
  if (packed === null) return small;
  return { ...small, ...(JSON.parse(inflateRawSync(packed).toString()) as Record<string, string>) };
}
