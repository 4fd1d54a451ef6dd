import { describe, expect, test } from '@jest/globals';
import { resultTable } from '../../src/report/table.ts';
import { failedRow, sampleRecord, sampleRow, stream } from './support.ts';

const { campaign } = sampleRecord();
const names = (table: { columns: { name: string }[] }) => table.columns.map(({ name }) => name);

describe('the results table', () => {
  test('has point, replication, status, the varied inputs and the outputs under their own names', async () => {
    const rows = [sampleRow(1, ['1.2', '0.30']), failedRow(2, ['1.2', '0.31'], 'ERROR')];
    const table = resultTable(campaign, stream(rows));
    expect(names(table)).toEqual([
      ...['point', 'replication', 'status', 'Contact rate', 'Recovery rate'],
      ...['Fit error', 'Peak day', 'Infected', 'Trajectory'],
    ]);
    const { outputs } = rows[0]!;
    expect(await Array.fromAsync(table.rows)).toEqual([
      ['0000000000000001', '1', 'done', '1.2', '0.30', ...campaign.outputs.map(({ name }) => outputs[name]!)],
      ['0000000000000002', '1', 'failed', '1.2', '0.31', null, null, null, null],
    ]);
  });

  test('with all: reason, run, origin and times behind', async () => {
    const rows = [sampleRow(1, ['1.2', '0.30']), failedRow(2, ['1.2', '0.31'], 'ERROR')];
    const table = resultTable(campaign, stream(rows), { all: true });
    expect(names(table).slice(-5)).toEqual(['reason', 'run', 'origin', 'requested', 'finished']);
    const cells = (await Array.fromAsync(table.rows)).map((row) => row.slice(-5));
    const times = ['2026-01-31T08:30:00.000Z', '2026-01-31T08:30:05.000Z'];
    expect(cells).toEqual([
      [null, 'run-1-1', 'new', ...times],
      ['ERROR', 'run-2-1', null, ...times],
    ]);
  });

  test('scalars lose the quotes of JSON, null is nothing, numbers stay as they were given', async () => {
    const outputs = [
      { name: 'text', type: 'STRING', units: null },
      { name: 'number', type: 'DOUBLE', units: null },
      { name: 'infinite', type: 'DOUBLE', units: null },
      { name: 'none', type: 'DOUBLE', units: null },
    ] as const;
    const row = {
      ...sampleRow(1, []),
      outputs: { text: '"a \\"b\\""', number: '1.50', infinite: '"Infinity"', none: 'null' },
    };
    const { rows } = resultTable({ varied: [], outputs: [...outputs] }, stream([row]));
    expect((await Array.fromAsync(rows))[0]!.slice(3)).toEqual(['a "b"', '1.50', 'Infinity', null]);
  });

  test('names are unique, and those of foray keep theirs', () => {
    const status = { name: 'status', type: 'DOUBLE', units: null } as const;
    const { columns } = resultTable({ varied: [status], outputs: [status] }, stream([]));
    expect(names({ columns }).slice(2)).toEqual(['status', 'status (input)', 'status (output)']);
  });
});
