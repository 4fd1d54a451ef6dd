import { nameKey } from '../../api/index.ts';
import { ForayError } from '../../errors.ts';
import { listItems } from '../../text/list-items.ts';

/**
 * The observations in a CSV file, as `calibrate.abc.observed` has them. The first line has the names of outputs. A
 * first column with another name has the places (mostly times) of curves; without it, there is one line of numbers.
 *
 * @param outputs - the names of the model's outputs
 * @throws ForayError INVALID_VALUE
 */
export function observationsIn(csv: string, outputs: readonly string[]): Record<string, unknown> {
  const lines = csv.split(/\r?\n/).map((text, at) => ({ number: at + 1, text }));
  const [first, ...others] = lines.filter(({ text }) => text.trim() !== '');
  const heads = listItems(first?.text ?? '');
  const names = heads.map((head) => outputs.find((name) => nameKey(name) === nameKey(head)));
  const unknown = heads.filter((_, at) => names[at] === undefined && at > 0);
  const wrong = (message: string): ForayError =>
    new ForayError('INVALID_VALUE', `The file with observations: ${message}`, {
      hint: 'Its first line has the names of outputs. For curves, the first column has the times. Each further line has numbers.',
    });
  if (unknown.length > 0) throw wrong(`the model has no output "${unknown[0]}".`);
  const twice = names.find((name, at) => name !== undefined && names.indexOf(name) !== at);
  if (twice !== undefined) throw wrong(`its first line has "${twice}" twice.`);
  if (names.every((name) => name === undefined)) throw wrong('no column has the name of an output.');
  if (others.length === 0) throw wrong('it has no line with numbers.');
  const numbers = others.map((line) => {
    const items = listItems(line.text);
    // a number with a decimal comma is two items
    if (items.slice(heads.length).some((item) => item !== ''))
      throw wrong(`line ${line.number} has more items than the first line has names.`);
    return heads.map((head, at) => {
      const number = Number(items[at] || NaN);
      if (Number.isFinite(number)) return number;
      throw wrong(`line ${line.number} has no number for "${head}".`);
    });
  });
  const column = (at: number): number[] => numbers.map((row) => row[at]!);
  const hasPlaces = names[0] === undefined;
  if (!hasPlaces && others.length > 1) throw wrong('several lines need a first column with their times.');
  return Object.fromEntries(
    names.flatMap((name, at) =>
      name === undefined ? [] : [[name, hasPlaces ? { x: column(0), y: column(at) } : numbers[0]![at]]],
    ),
  );
}
