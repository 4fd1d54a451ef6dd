import type { Measure } from '../../campaign/measures.ts';
import { titleOfMeasure } from '../words/words.ts';
import { key } from './key.ts';
import { colours, type Spec, WIDTH } from './vega.ts';

/** A point of the comparison, which is drawn as a row. */
export interface FinalistRow {
  name: string;
  mean: number;
  interval: [number, number] | null;
  /** The value of the point during the search; null if it had none, and in a selection. */
  seen: number | null;
  /** The value of the winner from runs that were not used to choose it; null without such runs and for other points. */
  own: number | null;
  kind: 'winner' | 'finalist' | 'infeasible';
}

const names = {
  winner: 'winner',
  finalist: 'finalist',
  infeasible: 'requirements not met',
  own: 'its value',
  seen: 'during the search',
};

/** Draws the finalists, one row each: the mean of the new runs with its interval, and the value during the search. */
export function finalistRows(rows: readonly FinalistRow[], output: Measure): Spec {
  const has = (kind: FinalistRow['kind']): boolean => rows.some((row) => row.kind === kind);
  const shown = key(
    [
      { name: names.winner, colour: colours.best, opacity: 1, is: has('winner') },
      { name: names.finalist, colour: colours.line, opacity: 1, is: has('finalist') },
      { name: names.own, colour: '#a06cd5', opacity: 1, is: rows.some(({ own }) => own !== null) },
      { name: names.infeasible, colour: colours.bad, opacity: 1, is: has('infeasible') },
      { name: names.seen, colour: colours.muted, opacity: 0.8, is: rows.some(({ seen }) => seen !== null) },
    ].filter(({ is }) => is),
  );
  const axis = output.statistic === 'share' ? { axis: { format: '~%' } } : {};
  const x = (field: string) => ({
    field,
    type: 'quantitative',
    title: titleOfMeasure(output),
    scale: { zero: false, padding: 14 },
    ...axis,
  });
  const y = {
    field: 'name',
    type: 'nominal',
    sort: rows.map(({ name }) => name),
    title: null,
    axis: { labelLimit: 420, domain: false, ticks: false, grid: true },
  };
  const values = rows.map(({ interval, ...row }) => ({ ...row, low: interval?.[0], high: interval?.[1] }));
  const layersOf = (kind: FinalistRow['kind']) => {
    const own = values.filter((row) => row.kind === kind);
    const color = shown(names[kind]);
    return own.length === 0
      ? []
      : [
          {
            data: { values: own.filter(({ low }) => low !== undefined) },
            mark: { type: 'rule', strokeWidth: 3, strokeCap: 'round', opacity: 0.6 },
            encoding: { y, x: x('low'), x2: { field: 'high' }, color },
          },
          {
            data: { values: own },
            mark: { type: 'point', filled: true, size: kind === 'winner' ? 120 : 80, opacity: 1 },
            encoding: { y, x: x('mean'), color },
          },
        ];
  };
  return {
    width: WIDTH - 380,
    height: { step: 32 },
    layer: [
      {
        data: { values: values.filter(({ seen }) => seen !== null) },
        mark: { type: 'point', filled: false, size: 70, strokeWidth: 1.6, opacity: 0.9 },
        encoding: { y, x: x('seen'), color: shown(names.seen) },
      },
      ...layersOf('infeasible'),
      ...layersOf('finalist'),
      ...layersOf('winner'),
      {
        data: { values: values.filter(({ own }) => own !== null) },
        mark: { type: 'point', shape: 'diamond', filled: true, size: 130, opacity: 1 },
        encoding: { y, x: x('own'), color: shown(names.own) },
      },
    ],
  } as Spec;
}
