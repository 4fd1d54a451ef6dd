import type { Schedule } from './state.ts';

/**
 * A schedule in the form in which one execution of a workflow passes it to the next. Temporal limits the size of a
 * payload. So the flights and postponed runs are columns of numbers, and each number is the difference from the previous
 * one.
 */
export type CarriedSchedule = Omit<Schedule, 'flights' | 'postponed'> & {
  flights: Columns;
  postponed: Columns;
};

type Columns = number[][];

export function packed(schedule: Schedule): CarriedSchedule {
  const { flights, postponed } = schedule;
  return {
    ...schedule,
    flights: columns(flights.map(({ seq, startedAt, lookedAt }) => [seq, startedAt, lookedAt])),
    postponed: columns(postponed.map(({ seq, at }) => [seq, at])),
  };
}

export function unpacked(carried: CarriedSchedule): Schedule {
  const { flights, postponed } = carried;
  return {
    ...carried,
    flights: rows(flights).map(([seq, startedAt, lookedAt]) => ({
      seq: seq!,
      startedAt: startedAt!,
      lookedAt: lookedAt!,
    })),
    postponed: rows(postponed).map(([seq, at]) => ({ seq: seq!, at: at! })),
  };
}

function columns(table: number[][]): Columns {
  const width = table[0]?.length ?? 0;
  return Array.from({ length: width }, (_, column) =>
    table.map((row, at) => row[column]! - (at === 0 ? 0 : table[at - 1]![column]!)),
  );
}

function rows(differences: Columns): number[][] {
  const sums = differences.map((column) => {
    let sum = 0;
    return column.map((difference) => (sum += difference));
  });
  return (sums[0] ?? []).map((_, at) => sums.map((column) => column[at]!));
}
