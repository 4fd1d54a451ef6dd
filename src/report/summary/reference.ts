import { basename } from 'node:path';
import { canonicalValue, nameKey, ValueError } from '../../api/index.ts';
import { measuresOf } from '../../campaign/measures.ts';
import type { Campaign } from '../../campaign/types.ts';
import { type PlaceOf, readCsv } from '../../csv/read-csv.ts';
import { withLines } from '../../csv/with-lines.ts';
import { ForayError, isForayError, type Place } from '../../errors.ts';
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
  const rows: ReferenceRow[] = [];
  const lineOf = new Map<string, number>();
  let names: string[] = [];
  let columns: Columns = { inputs: [], outputs: [] };
  try {
    await readCsv(file, 'REFERENCE_INVALID', {
      names(fields, placeOf) {
        names = fields;
        columns = columnsOf(names, campaign, placeOf);
      },
      row(fields, placeOf) {
        const values = campaign.varied.map(({ type }, input) => {
          const at = columns.inputs[input]!;
          return checked(() => canonicalValue(type, fields[at]!), names[at]!, placeOf(at));
        });
        const key = values.join('\n');
        const place = placeOf(0);
        const before = lineOf.get(key);
        if (before !== undefined)
          throw invalid(
            `This line repeats the point of line ${before}.`,
            place,
            'Remove one of the two lines.',
          );
        lineOf.set(key, place.line);
        const numbers = columns.outputs.flatMap(({ name, at }): [string, number][] => {
          const text = fields[at]!;
          if (text === '') return [];
          return [[name, checked(() => Number(canonicalValue('DOUBLE', text)), name, placeOf(at))]];
        });
        rows.push({ values, numbers: new Map(numbers) });
      },
    });
    if (rows.length === 0)
      throw invalid('It has no values.', { file, line: 1, column: 1 }, 'Add a line for each point.');
  } catch (error) {
    if (isForayError(error)) throw await withLines(error);
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new ForayError('REFERENCE_INVALID', `The file ${quoted(file)} cannot be read (${code}).`, {
      hint: 'Check the path.',
    });
  }
  return { label: basename(file), outputs: columns.outputs.map(({ name }) => name), rows };
}

/** The part of a campaign that is needed to read a reference. */
type ReferredCampaign = Pick<Campaign, 'varied' | 'outputs' | 'derived' | 'precision' | 'goal'>;

/** The columns of a reference file, by their index. */
interface Columns {
  /** The columns of the varied inputs, in their order. */
  inputs: number[];
  /** The other columns, with the names of outputs as the campaign spells them. */
  outputs: { name: string; at: number }[];
}

/** Finds the column of each varied input, and the columns of outputs. */
function columnsOf(names: readonly string[], campaign: ReferredCampaign, placeOf: PlaceOf): Columns {
  const { varied } = campaign;
  const keys = names.map(nameKey);
  const known = measuresOf(campaign).map(({ name }) => name);
  const inputs = varied.map(({ name }) => keys.indexOf(nameKey(name)));
  const missing = varied.find((_, at) => inputs[at]! < 0);
  if (missing) {
    const all = varied.map(({ name }) => quoted(name)).join(', ');
    throw invalid(
      `It has no column ${quoted(missing.name)}.`,
      placeOf(0),
      `The campaign varies ${all}: each needs a column.`,
    );
  }
  const outputs = names.flatMap((written, at) => {
    if (inputs.includes(at)) return [];
    if (keys.indexOf(keys[at]!) < at)
      throw invalid(`The column ${quoted(written)} appears twice.`, placeOf(at), 'Remove one of them.');
    const name = known.find((one) => nameKey(one) === keys[at]);
    if (name !== undefined) return [{ name, at }];
    throw invalid(
      `The campaign has no numeric or BOOLEAN output ${quoted(written)}.`,
      placeOf(at),
      didYouMean(written, known),
    );
  });
  if (outputs.length === 0)
    throw invalid('It has no column for an output.', placeOf(0), didYouMean('', known));
  return { inputs, outputs };
}

/** @throws ForayError REFERENCE_INVALID if the value does not have the type */
function checked<T>(read: () => T, name: string, place: Place): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ValueError)) throw error;
    throw invalid(`The value of ${quoted(name)} ${error.message}.`, place);
  }
}

function invalid(message: string, place: Place, hint?: string): ForayError {
  return new ForayError('REFERENCE_INVALID', message, { place, hint });
}
