import { describe, expect, test } from '@jest/globals';
import { renderReport } from '../../src/report/html.ts';
import { countsOf, doubles, failedRow, sampleRecord, sampleRow, sampleRows, stream } from './support.ts';

const observed = { output: 'Infected', label: 'pupils in bed', points: [[1, 3] as const, [2, 8] as const] };

/** The paths of each mark group whose class matches. */
function marks(page: string, name: string): number[] {
  return [...page.matchAll(new RegExp(`<g class="mark-${name} role-mark[^>]*>(.*?)</g>`, 'gs'))].map(
    ([, group]) => group!.match(/<path/g)?.length ?? 0,
  );
}

describe('the report of a grid', () => {
  const record = sampleRecord();
  const rendered = renderReport(record, countsOf(1271), sampleRows(record), { observed });

  test('has a cell a point, the best one marked, the curves and the observations', async () => {
    const page = await rendered;
    expect(marks(page, 'rect')).toEqual([1271]);
    expect(page).toContain('best: 17.213');
    expect(page).toContain('at Contact rate 1.675 per day, Recovery rate 0.44 per day');
    expect(page).toContain('Contact rate (per day)');
    // two rings around the best point, then the observations
    expect(marks(page, 'symbol')).toEqual([1, 1, 2]);
    expect(page).toContain('pupils in bed');
    const lines = marks(page, 'line').reduce((sum, count) => sum + count, 0);
    expect(lines).toBeGreaterThan(40);
    expect(lines).toBeLessThanOrEqual(51);
  });

  test('lists the ten best points, lowest first', async () => {
    const keys = [...(await rendered).matchAll(/<code>([0-9a-f]{16})<\/code>/g)].map(([, key]) => key);
    expect(keys).toHaveLength(10);
    expect(keys[0]).toBe((27 + 19 * 31 - 13).toString(16).padStart(16, '0'));
  });

  test('loads nothing and runs nothing', async () => {
    const page = await rendered;
    expect(page).not.toMatch(/<(script|link|img|iframe|object|embed|base|form|image|use)\b/i);
    expect(page).not.toMatch(/\b(src|href|srcset|action)=/i);
    expect(page).not.toMatch(/@import|url\((?!#)/i);
    expect(page).toContain('prefers-color-scheme: dark');
  });

  test('every reference of a picture is to an id of its own', async () => {
    const page = await rendered;
    const ids = [...page.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id!);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, id] of page.matchAll(/url\(#([^)]+)\)/g)) expect(ids).toContain(id);
  });

  test('is the same each time', async () => {
    expect(await renderReport(record, countsOf(1271), sampleRows(record), { observed })).toBe(await rendered);
  });
});

describe('what is not safe', () => {
  const evil = '"><script>alert(1)</script>$&';

  test('names, values and reasons are escaped everywhere', async () => {
    const record = sampleRecord({
      id: evil,
      name: evil,
      model: { id: 'm', name: evil, versionId: 'v', version: 1 },
      grid: [
        { name: `in ${evil}`, type: 'STRING', units: null, values: [evil, 'b'] },
        doubles(`rate ${evil}`, [1, 2, 3]),
      ],
      outputs: [
        { name: `out ${evil}`, type: 'DOUBLE', units: null },
        { name: `set ${evil}`, type: 'DATA_SET', units: null },
      ],
    });
    const outputs = { [`out ${evil}`]: '1', [`set ${evil}`]: '{"dataX":[1,2],"dataY":[3,4]}' };
    const rows = [{ ...sampleRow(0, [evil, '1']), point: evil, outputs }, failedRow(1, [evil, '2'], evil)];
    const page = await renderReport(record, countsOf(1, 1), stream(rows), {
      observed: { output: `set ${evil}`, label: evil, points: [[1, 2]] },
    });
    expect(page).not.toContain('<script');
    expect(page.match(/script/g)!.length).toBeGreaterThan(10);
  });

  test("of the service's address only the origin is told", async () => {
    const record = sampleRecord({
      service: 'https://user:pw@host.example:8443/api/open/8.5.0?apiKey=secret',
    });
    const page = await renderReport(record, countsOf(0), stream([]));
    expect(page).toContain('https://host.example:8443 ');
    expect(page).not.toMatch(/user|pw@|secret|api\/open/);
  });
});

describe('other designs', () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, i) => sampleRow(i, [String(1.5 + i / 10), '0.4']));

  test('one numeric input: a line with a point a value', async () => {
    const record = sampleRecord({ grid: [doubles('Contact rate', [1.2, 1.4, 1.6, 1.8])], replications: 3 });
    const page = await renderReport(record, countsOf(12), sampleRows(record));
    expect(marks(page, 'rect')).toEqual([]);
    expect(marks(page, 'symbol')).toEqual([4, 1]);
    expect(page).toContain('means over the replications');
    expect(page).toContain('The first replication of each is drawn.');
  });

  test('three inputs: a panel each', async () => {
    const grid = [doubles('A', [1, 2, 3]), doubles('B', [1, 2]), doubles('C', [1, 2])];
    const record = sampleRecord({ grid });
    const page = await renderReport(record, countsOf(12), sampleRows(record));
    expect(page).toContain('Fit error by A, B, C');
    expect(marks(page, 'symbol')).toEqual([3, 1, 2, 1, 2, 1]);
  });

  test('nothing varied, or no numeric output: the table alone', async () => {
    const fixed = sampleRecord({ grid: [], outputs: sampleRecord().campaign.outputs.slice(0, 2) });
    expect(await renderReport(fixed, countsOf(1), sampleRows(fixed))).not.toContain('<svg');
    const texts = sampleRecord({ outputs: [{ name: 'Trajectory', type: 'OUTPUT_FILE', units: null }] });
    const page = await renderReport(texts, countsOf(3), stream(rows(3)));
    expect(page).not.toContain('<svg');
    expect(page).toContain('First points');
    expect(page.match(/<code>/g)).toHaveLength(3);
  });

  test('the chosen output is shown; one that there is not is an error with the names', async () => {
    const record = sampleRecord();
    const page = await renderReport(record, countsOf(2), stream(rows(2)), { output: 'Peak day' });
    expect(page).toContain('Peak day over Contact rate and Recovery rate');
    await expect(
      renderReport(record, countsOf(2), stream(rows(2)), { output: 'Peak' }),
    ).rejects.toMatchObject({
      code: 'UNKNOWN_OUTPUT',
      hint: 'It has "Fit error", "Peak day".',
    });
    const wrong = { observed: { ...observed, output: 'Fit error' } };
    await expect(renderReport(record, countsOf(2), stream(rows(2)), wrong)).rejects.toMatchObject({
      code: 'UNKNOWN_OUTPUT',
    });
  });

  test('an output that no run has a value of', async () => {
    const record = sampleRecord();
    const none = rows(2).map((row) => ({ ...row, outputs: { 'Fit error': 'null' } }));
    const page = await renderReport(record, countsOf(2), stream(none));
    expect(page).toContain('No finished run has a value of Fit error.');
    expect(page).not.toContain('<svg');
  });

  test('failures are grouped by reason, the commonest first', async () => {
    const record = sampleRecord();
    const failed = ['a', 'b', 'b'].map((reason, i) => failedRow(i, ['1.2', '0.3'], `because ${reason}`));
    const page = await renderReport(record, countsOf(0, 3), stream(failed));
    expect(page).toContain('No run has finished yet.');
    const table = page.slice(page.indexOf('>Failures<'));
    expect(
      [...table.matchAll(/<td class="(?:number|reason)">(.*?)<\/td>/gs)].map(([, cell]) => cell),
    ).toEqual([...['2', 'because b', '1', 'because a']]);
    expect(table).toContain('0000000000000001');
  });
});
