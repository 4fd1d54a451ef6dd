import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { renderReport } from '../../../src/report/html/html.ts';
import {
  countsOf,
  doubles,
  failedRow,
  sampleRecord,
  sampleRow,
  sampleRows,
  stream,
  observed,
} from '../support.ts';
import { marks } from '../marks.ts';

describe('the report of a grid', () => {
  const record = sampleRecord();
  const rendered = renderReport(record, countsOf(1271), sampleRows(record), { observed });

  test('has one cell per point, marks the lowest point, and shows curves and observations', async () => {
    const page = await rendered;
    // further rectangles are bars of the distributions and of the timeline
    expect(marks(page, 'rect')[0]).toBe(1271);
    expect(page).toContain('lowest: 17.21');
    expect(page).toMatch(
      /Fit error\s*<strong><span title="17\.2\d* to [\d.]+">17\.21 to [\d.,]+<\/span><\/strong>\s*at 1,271 points/,
    );
    expect(page).toContain('Contact rate (per day)');
    // two rings around the lowest point, the means by each of two inputs with their lowest mean, two observations
    expect(marks(page, 'symbol')).toEqual([1, 1, 41, 1, 31, 1, 2]);
    expect(page).toContain('pupils in bed');
    // areas: two bands and the outstanding runs; lines: the means by each input, the median and the best point's curve
    expect([marks(page, 'area'), marks(page, 'line')]).toEqual([
      [1, 1, 1],
      [1, 1, 1, 1],
    ]);
  });

  test('has its sections in a fixed order, and says how long the runs took', async () => {
    const page = await rendered;
    const headings = [...page.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, title]) => title);
    expect(headings).toEqual([
      'Fit error over Contact rate and Recovery rate',
      'Fit error by Contact rate, Recovery rate',
      'Lowest points',
      'Infected',
      'Distributions of outputs',
      'Timeline',
      'What was run',
    ]);
    expect(page).toContain('The number of runs by value: 1,271 runs over all points.');
    // two thirds of the runs are new, and each took 5 s
    expect(page).toContain('1 h 11 min in all');
    expect(page).toContain('Population');
  });

  test('says "best" only if there is a goal, and ranks the points by the goal', async () => {
    const plain = await rendered;
    expect(plain.replaceAll(/--best|part-best/g, '')).not.toMatch(/\bbest\b/i);
    const goal = { output: 'Fit error', wants: 'highest' } as const;
    const page = await renderReport(sampleRecord({ goal }), countsOf(1271), sampleRows(record));
    expect(page).toContain('<h2>Best points</h2>');
    expect(page).toContain('with the highest Fit error');
    expect(page).toContain('Highest Fit error');
    expect(page).toContain('The highest is marked');
    const firstOf = (text: string): number =>
      Number(/<strong>.*?>([\d.,]+)[ <]/.exec(text)![1]!.replace(',', ''));
    expect(firstOf(page)).toBeGreaterThan(firstOf(plain));
    // the option overrides the goal of the campaign
    const asked = { ...goal, wants: 'lowest' } as const;
    const other = await renderReport(sampleRecord({ goal }), countsOf(1271), sampleRows(record), {
      goal: asked,
    });
    expect(other).toContain('with the lowest Fit error');
    expect(other).toContain('<h2>Best points</h2>');
  });

  test('lists ten points, and begins with the lowest point', async () => {
    const keys = [...(await rendered).matchAll(/<code>([0-9a-f]{16})<\/code>/g)].map(([, key]) => key);
    expect(keys).toHaveLength(10);
    // Contact rate 1.675 is value 19 of 41, and Recovery rate 0.44 is value 14 of 31, both counted from 0
    expect(keys[0]).toBe((27 + 19 * 31 - 13).toString(16).padStart(16, '0'));
  });

  test('loads nothing, and runs only the script of its pictures', async () => {
    const whole = await rendered;
    const [script, ...others] = [...whole.matchAll(/<script>(.*?)<\/script>/gs)].map(([, text]) => text!);
    expect(others).toEqual([]);
    const hash = createHash('sha256').update(script!).digest('base64');
    expect(/Content-Security-Policy" content="(.*?)"/.exec(whole)![1]).toContain(
      `script-src &#39;sha256-${hash}&#39;`,
    );
    const page = whole
      .replace(script!, '')
      .replace('<script></script>', '')
      .replaceAll(/<script type="application\/json">[^<]*<\/script>/g, '');
    expect(page).not.toMatch(/<(script|link|img|iframe|object|embed|base|form|image|use)\b/i);
    expect(page).not.toMatch(/\b(src|srcset|action)=|\bhref=(?!"#part-)/i);
    expect(page).not.toMatch(/@import|url\((?!#)/i);
    expect(page).toContain('prefers-color-scheme: dark');
  });

  test('has no id twice, and each reference in a picture leads to an id on the page', async () => {
    const page = await rendered;
    const ids = [...page.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id!);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, id] of page.matchAll(/url\(#([^)]+)\)/g)) expect(ids).toContain(id);
  });

  test('has the same text each time it is rendered', async () => {
    expect(await renderReport(record, countsOf(1271), sampleRows(record), { observed })).toBe(await rendered);
  });
});

describe('the report of unsafe content', () => {
  const evil = '"><script>alert(1)</script>$&';

  test('escapes names, values, reasons and the definition', async () => {
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
    const page = await renderReport(
      { ...record, definition: `campaign: ${evil}` },
      countsOf(1, 1),
      stream(rows),
      {
        observed: { output: `set ${evil}`, label: evil, points: [[1, 2]] },
        reference: {
          label: evil,
          outputs: [`out ${evil}`],
          rows: [{ values: [evil, '1'], numbers: new Map([[`out ${evil}`, 1]]) }],
        },
      },
    );
    expect(page.match(/<script(?! type="application\/json">)/g)).toHaveLength(1);
    expect(page.match(/script&#62;alert|script&gt;alert/g)!.length).toBeGreaterThan(20);
    expect(page).toContain('campaign: &#34;&#62;&#60;script');
  });

  test("shows only the origin of the service's address, without the user, the path and the query", async () => {
    const record = sampleRecord({
      service: 'https://user:pw@host.example:8443/api/open/8.5.0?apiKey=secret',
    });
    const page = await renderReport(record, countsOf(0), stream([]));
    expect(page).toContain('<td>https://host.example:8443</td>');
    expect(page).not.toMatch(/user|pw@|secret|api\/open/);
  });
});
