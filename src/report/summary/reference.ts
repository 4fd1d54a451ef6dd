import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { CsvError, parse } from 'csv-parse/sync';
import { canonicalValue, ValueError } from '../../api/index.ts';
import { measuresOf } from '../../campaign/measures.ts';
import type { Campaign } from '../../campaign/types.ts';
import { ForayError, type Place } from '../../errors.ts';
import { didYouMean, quoted } from '../../text/suggest.ts';

/** Known values of outputs, from theory or elsewhere, by the varied inputs of the campaign. */
export interface Reference {
  /** The file's name. */
  label: string;
  /** The outputs and formulas that have a column in the file. */
  outputs: string[];
  rows: ReferenceRow[];
}

export interface ReferenceRow {
  /** Canonical values of the varied inputs, in their order. */
  values: string[];
  /** The known values by the name of the output. */
  numbers: ReadonlyMap<string, number>;
}

/**
 * Reads a CSV file of reference values. Its first line names outputs and all varied inputs of the campaign. Each
 * further line is a point. In a column of an output, an empty field means that the value is unknown.
 *
 * @throws ForayError REFERENCE_INVALID with the place in the file
 */
export async function readReference(file: string, campaign: ReferredCampaign): Promise<Reference> {
  let records: Record[];
  try {
    const options = { bom: true, trim: true, skip_empty_lines: true, info: true } as const;
    records = parse(await readFile(file, 'utf8'), options) as unknown as Record[];
  } catch (error) {
    if (error instanceof CsvError)
      throw invalid(`It is not a CSV table: ${error.message}.`, {
        file,
        line: Number(error.lines ?? 1),
        column: 1,
      });
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new ForayError('REFERENCE_INVALID', `The file ${quoted(file)} cannot be read (${code}).`, {
      hint: 'Check the path.',
    });
  }
  const [head, ...lines] = records;
  const columns = columnsOf(head?.record ?? [], campaign, file);
  if (lines.length === 0)
    throw invalid('It has no values.', { file, line: 1, column: 1 }, 'Add a line for each point.');
  const lineOf = new Map<string, number>();
  const rows = lines.map(({ record, info }) => {
    const place = { file, line: info.lines, column: 1 };
    const values = campaign.varied.map(({ type }, at) => {
      const text = record[columns.inputs[at]!]!;
      return checked(() => canonicalValue(type, text), head!.record[columns.inputs[at]!]!, place);
    });
    const key = values.join('\n');
    const before = lineOf.get(key);
    if (before !== undefined)
      throw invalid(`This line repeats the point of line ${before}.`, place, 'Remove one of the two lines.');
    lineOf.set(key, info.lines);
    const numbers = columns.outputs.flatMap(({ name, at }): [string, number][] => {
      const text = record[at]!;
      return text === '' ? [] : [[name, checked(() => Number(canonicalValue('DOUBLE', text)), name, place)]];
    });
    return { values, numbers: new Map(numbers) };
  });
  return { label: basename(file), outputs: columns.outputs.map(({ name }) => name), rows };
}

/** The part of a campaign that is needed to read a reference. */
type ReferredCampaign = Pick<Campaign, 'varied' | 'outputs' | 'derived' | 'precision' | 'goal'>;

/** The fields of a CSV line. `info.lines` is the number of the line at which the fields end. */
interface Record {
  record: string[];
  info: { lines: number };
}

/** Finds the column of each varied input, and the columns of outputs. */
function columnsOf(
  names: readonly string[],
  campaign: ReferredCampaign,
  file: string,
): { inputs: number[]; outputs: { name: string; at: number }[] } {
  const place = { file, line: 1, column: 1 };
  const { varied } = campaign;
  const known = measuresOf(campaign).map(({ name }) => name);
  const inputs = varied.map(({ name }) => names.indexOf(name));
  const missing = varied.find((_, at) => inputs[at]! < 0);
  if (missing) {
    const all = varied.map(({ name }) => quoted(name)).join(', ');
    throw invalid(
      `It has no column ${quoted(missing.name)}.`,
      place,
      `The campaign varies ${all}: each needs a column.`,
    );
  }
  const others = names.flatMap((name, at) => (inputs.includes(at) ? [] : [{ name, at }]));
  const isTwice = ({ name, at }: (typeof others)[number]): boolean => names.indexOf(name) < at;
  const wrong = others.find((column) => isTwice(column) || !known.includes(column.name));
  if (wrong) {
    throw invalid(
      isTwice(wrong)
        ? `The column ${quoted(wrong.name)} appears twice.`
        : `The campaign has no numeric or BOOLEAN output ${quoted(wrong.name)}.`,
      place,
      isTwice(wrong) ? 'Remove one of them.' : didYouMean(wrong.name, known),
    );
  }
  if (others.length > 0) return { inputs, outputs: others };
  throw invalid('It has no column for an output.', place, didYouMean('', known));
}

/** @throws ForayError REFERENCE_INVALID if the value does not have the type */
function checked<T>(value: () => T, name: string, place: Place): T {
  try {
    return value();
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw invalid(`The value of ${quoted(name)} ${error.message}.`, place);
  }
}

function invalid(message: string, place: Place, hint?: string): ForayError {
  return new ForayError('REFERENCE_INVALID', message, { place, hint });
}
