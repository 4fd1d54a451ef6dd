import * as typed from '../typed.ts';
import { Booleans, Doubles, Integers, Longs } from './numbers.ts';
import { JsonTexts, Texts } from './texts.ts';
import type { ColumnValues } from './column-values.ts';

/** Makes the object that collects the values of a column. A row group has at most `most` rows. */
export function columnValues(type: typed.Exactly, most: number): ColumnValues {
  switch (type) {
    case 'double':
      return new Doubles(most);
    case 'integer':
      return new Integers(most);
    case 'long':
      return new Longs(typed.longIn, most);
    case 'boolean':
      return new Booleans(most);
    case 'local':
      return new Longs(timeIn(typed.localIn), most);
    case 'instant':
      return new Longs(timeIn(typed.instantIn), most);
    case 'text':
      return new Texts(most);
    case 'json':
      return new JsonTexts(most);
  }
}

function timeIn(read: (text: string) => number | undefined): (text: string) => bigint | undefined {
  return (text) => {
    const time = read(text);
    return time === undefined ? undefined : BigInt(time);
  };
}
