import { describe, expect, test } from '@jest/globals';
import { renderReport } from '../../../src/report/html/html.ts';
import {
  countsOf,
  doubles,
  failedRow,
  sampleRecord,
  sampleRow,
  sampleRows,
  SEED,
  stream,
  observed,
} from '../support.ts';
import { marks } from '../marks.ts';

/** The answer at the top of a report, without a goal. */
const answerOf = (output: string) => new RegExp(`<div class="answer">\\s*${output}\\s*<strong>`);

describe('the report of other designs', () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, i) => sampleRow(i, [String(1.5 + i / 10), '0.4']));

  /** Rows in which the replications of a point have different values. */
  const varied = (record: Parameters<typeof sampleRows>[0]) =>
    sampleRows(record).map((row) => {
      const shift = (row.replication - 2) / 100;
      const outputs = Object.entries(row.outputs).map(([name, value]) => [
        name,
        Number.isNaN(Number(value)) ? value : String(Number(value) + shift),
      ]);
      return { ...row, outputs: Object.fromEntries(outputs) as Record<string, string> };
    });

  test('draws the mean and its interval at each value of a single numeric input, for each output', async () => {
    const record = sampleRecord({
      grid: [doubles('Contact rate', [1.2, 1.4, 1.6, 1.8])],
      replications: 3,
      base: [SEED],
    });
    const page = await renderReport(record, countsOf(12), varied(record));
    // only intervals are drawn as rules; the bars of distributions are rectangles
    expect(marks(page, 'rule')).toEqual([4, 4]);
    expect(marks(page, 'symbol')).toEqual([4, 1, 4, 1]);
    expect(page).toContain('Peak day by Contact rate');
    expect(page).toContain(
      'The mean at each value, with its 95 % confidence interval over the replications.',
    );
    expect(page).toContain('means over the replications');
    expect(page).toContain('Lowest point, its first finished replication, in front of the median');
  });

  test('draws known values as a line, and compares them with the intervals in a table', async () => {
    const record = sampleRecord({
      grid: [doubles('Contact rate', [1.2, 1.4, 1.6])],
      replications: 3,
      base: [SEED],
    });
    const numbers = (value: number) => new Map([['Peak day', value]]);
    const peak = 6 + 4 * (1.67 - 1.2);
    const reference = {
      label: 'theory.csv',
      outputs: ['Peak day'],
      rows: [
        { values: ['1.2'], numbers: numbers(peak) },
        { values: ['1.3'], numbers: numbers(7.4) },
        { values: ['1.4'], numbers: numbers(1) },
        { values: ['9'], numbers: numbers(1e9) },
      ],
    };
    const options = { show: ['Peak day'], reference };
    const page = await renderReport(record, countsOf(9), varied(record), options);
    expect(page).toContain('Orange: the values of theory.csv.');
    expect(page).toContain('Agreement with theory.csv');
    expect(page).toMatch(
      /1 of 2 intervals contains\s+the value that theory\.csv gives\. By chance, 5 % of such intervals miss/,
    );
    expect([...page.matchAll(/<td class="(?:bad)?">\s*(yes|no)\s*<\/td>/g)].map(([, is]) => is)).toEqual([
      'yes',
      'no',
    ]);
    // the interval of a share is as wide as the number of its runs needs
    const name = 'P(`Peak day` > 7)';
    const shares = {
      ...reference,
      outputs: [name],
      rows: [{ values: ['1.2'], numbers: new Map([[name, 1]]) }],
    };
    expect(
      await renderReport(record, countsOf(9), varied(record), { show: [name], reference: shares }),
    ).toMatch(/By chance, at most about 5 % of such intervals miss/);
    // the line ends where the values of the design end
    const [line] = [...page.matchAll(/<g class="mark-line role-mark[^>]*><path[^>]* d="([^"]*)"/g)];
    expect(line![1]!.match(/[ML]/g)).toHaveLength(3);
  });

  test('says that no compared value has an interval if each point has one run', async () => {
    const record = sampleRecord({ grid: [doubles('Contact rate', [1.2, 1.4, 1.6])] });
    const reference = {
      label: 'theory.csv',
      outputs: ['Peak day'],
      rows: [{ values: ['1.2'], numbers: new Map([['Peak day', 8]]) }],
    };
    const page = await renderReport(record, countsOf(3), sampleRows(record), {
      show: ['Peak day'],
      reference,
    });
    expect(page).toContain('No compared value has an interval.');
    expect(page).not.toContain('0 of 0');
  });

  test('draws values at equal distances if their real distances differ much, and labels each value', async () => {
    const record = sampleRecord({
      grid: [doubles('Rate', [1, 10, 1000]), doubles('Size', [0.5, 0.51, 70])],
    });
    const page = await renderReport(record, countsOf(9), sampleRows(record));
    const [heatMap] = page.split('</figure>') as [string];
    const widths = [...heatMap.matchAll(/d="M[\d.]+,[\d.]+h([\d.]+)v[\d.]+/g)].map(([, width]) =>
      Number(width),
    );
    const cells = widths.filter((width) => widths.filter((other) => other === width).length === 9);
    expect(cells).toHaveLength(9);
    for (const name of ['1', '10', '1000', '0.5', '0.51', '70']) expect(heatMap).toContain(`>${name}</text>`);
  });

  test('says of points that are not precise how many have no value', async () => {
    const precision = {
      min: 3,
      max: 4,
      relative: 0.1,
      absolute: null,
      outputs: ['Fit error'],
      confidence: 0.95,
    };
    const record = sampleRecord({ grid: [doubles('Rate', [1, 2])], precision });
    const rows = [0, 1].flatMap((at) =>
      [1, 2, 3, 4].map((replication) => {
        const row = sampleRow(at, [String(at + 1)], replication);
        const error = at === 0 ? String(10 ** replication) : 'null';
        return { ...row, outputs: { ...row.outputs, 'Fit error': error } };
      }),
    );
    const page = await renderReport(record, countsOf(8), stream(rows));
    expect(page.replaceAll(/\s+/g, ' ')).toContain(
      '2 of 2 points are less precise than wanted after all their replications (at most 4). 1 of them has no value.',
    );
  });

  test('labels values of an input on a logarithmic axis by at most four digits', async () => {
    const values = [0.000001, 0.00017782794100389227, 0.03162277660168379, 5.623413251903491, 1000];
    const grid = [doubles('Leak', values), doubles('A', [1, 2]), doubles('B', [1, 2])];
    const record = sampleRecord({ grid });
    const page = await renderReport(record, countsOf(20), sampleRows(record));
    const panels = /Fit error by Leak, A, B[^]*?<\/figure>/.exec(page.slice(page.indexOf('</nav>')))![0];
    for (const text of ['1e-6', '0.0001778', '0.03162', '5.623', '1,000'])
      expect(panels).toContain(`>${text}</text>`);
  });

  test('draws an output whose values range from 1e-300 to 1e300, and has no NaN', async () => {
    const record = sampleRecord({ grid: [doubles('Rate', [1, 2, 3])] });
    const rows = ['1e-300', '1', '1e300'].map((error, at) => {
      const row = sampleRow(at, [String(at + 1)]);
      return { ...row, outputs: { ...row.outputs, 'Fit error': error } };
    });
    const page = await renderReport(record, countsOf(3), stream(rows));
    expect(page).toContain('Fit error by Rate');
    expect(page).not.toContain('NaN');
  });

  test('draws one panel for each of three inputs, and no intervals without replications', async () => {
    const grid = [doubles('A', [1, 2, 3]), doubles('B', [1, 2]), doubles('C', [1, 2])];
    const record = sampleRecord({ grid });
    const page = await renderReport(record, countsOf(12), sampleRows(record));
    expect(page).toContain('Fit error by A, B, C');
    expect(marks(page, 'symbol')).toEqual([3, 1, 2, 1, 2, 1]);
    expect(page).not.toContain('interval');
  });

  test('marks no mean of a grid in which a point failed, because the means come from different points', async () => {
    const grid = [doubles('A', [1, 2]), doubles('B', [1, 2])];
    const record = sampleRecord({ grid });
    const rows = await Array.fromAsync(sampleRows(record).batches).then((batches) => batches.flat());
    const page = await renderReport(record, { ...countsOf(4), done: 3, failed: 1 }, stream(rows.slice(1)));
    expect(page).toContain('Some points have no value.');
    // the heat map has the marks before these
    expect(marks(page, 'symbol').slice(-4)).toEqual([2, 0, 2, 0]);
  });

  test('draws a grid of three inputs also as heat maps: one for each value of one input', async () => {
    const grid = [doubles('A', [1, 2, 3]), doubles('B', [1, 2, 3, 4]), doubles('C', [1, 2])];
    const record = sampleRecord({ grid });
    const page = await renderReport(record, countsOf(24), sampleRows(record));
    expect(page).toContain('Fit error over A and B, by C');
    expect(marks(page, 'rect').slice(0, 2)).toEqual([12, 12]);
  });

  test('a colour scale of a single value has this value without zeros', async () => {
    const grid = [doubles('A', [1, 2, 3]), doubles('B', [1, 2, 3, 4])];
    const record = sampleRecord({ grid });
    const equal = (await Array.fromAsync(sampleRows(record))).map((row) => ({
      ...row,
      outputs: { ...row.outputs, 'Fit error': '1234.5' },
    }));
    const page = await renderReport(record, countsOf(12), stream(equal), { show: ['Fit error'] });
    expect(page).toContain('>1,234.5</text>');
  });

  test('draws no effects if no input varies or no output is numeric', async () => {
    const fixed = sampleRecord({ grid: [], outputs: sampleRecord().campaign.outputs.slice(0, 2) });
    const one = await renderReport(fixed, countsOf(1), sampleRows(fixed));
    expect([...one.matchAll(/<figure data-file="flu-calibration-7f3a-(.*?)"/g)].map(([, id]) => id)).toEqual(
      [],
    );
    const texts = sampleRecord({ outputs: [{ name: 'Trajectory', type: 'OUTPUT_FILE', units: null }] });
    const page = await renderReport(texts, countsOf(3), stream(rows(3)));
    expect(page).not.toContain('data-file="flu-calibration-7f3a-effects"');
    expect(page).toContain('First points');
    expect(page.match(/<code>[0-9a-f]{16}/g)).toHaveLength(3);
  });

  test('draws the replications of a single point as bands behind the curve of the first replication', async () => {
    const record = sampleRecord({ grid: [], replications: 20 });
    const page = await renderReport(record, countsOf(20), sampleRows(record));
    expect(page).toContain(
      'First finished replication in front of the median and the middle 50 % and 90 % of all 20 runs',
    );
    // all runs were reused, so there are no outstanding runs to draw
    expect(marks(page, 'area')).toEqual([1, 1]);
    expect(page).not.toContain('<h2>Timeline</h2>');
  });

  test('shows the chosen output, and refuses an unknown output and observations of an output that is no curve', async () => {
    const record = sampleRecord();
    const page = await renderReport(record, countsOf(2), stream(rows(2)), { show: ['Peak day'] });
    expect(page).toContain('Peak day over Contact rate and Recovery rate');
    await expect(
      renderReport(record, countsOf(2), stream(rows(2)), { show: ['Peek'] }),
    ).rejects.toMatchObject({
      code: 'UNKNOWN_OUTPUT',
      hint: 'Known: "Fit error", "Peak day".',
    });
    const wrong = { observed: { ...observed, output: 'Fit error' } };
    await expect(renderReport(record, countsOf(2), stream(rows(2)), wrong)).rejects.toMatchObject({
      code: 'UNKNOWN_OUTPUT',
    });
  });

  test('shows BOOLEAN outputs as shares, draws the effects on formulas, and prefers a numeric output by default', async () => {
    const rate = [doubles('Contact rate', [1, 2])];
    const outputs = [
      { name: 'Extinct', type: 'BOOLEAN', units: null },
      { name: 'Peak day', type: 'DOUBLE', units: 'DAY' },
    ] as const;
    const derived = ['P(`Peak day` > 3)', 'Q(`Peak day`, 0.5)'];
    const record = sampleRecord({
      grid: rate,
      replications: 8,
      outputs: [...outputs],
      derived,
      base: [SEED],
    });
    const runs = ['1', '2'].flatMap((value, at) =>
      Array.from({ length: 8 }, (_, replication) => ({
        ...sampleRow(at, [value], replication + 1),
        outputs: { Extinct: String(replication < 2 * (at + 1)), 'Peak day': String(replication + at) },
      })),
    );
    const page = await renderReport(record, countsOf(16), stream(runs), { show: ['Extinct'] });
    expect(page).toMatch(/Extinct\s*<strong>(<span[^>]*>)?25 % to 50 %(<\/span>)?<\/strong>\s*at 2 points/);
    expect(page).toContain('Extinct has no goal, so no point is chosen.');
    expect(page).toContain('Extinct by Contact rate');
    expect(page).toContain(
      'The share at each value, with its 95 % confidence interval over the replications.',
    );
    expect(page).toContain('The mean or share or quantile at each value');
    expect(page).toContain('Extinct (share)</th>');
    expect(page).toMatch(/25 %<\/td>[^]*50 %<\/td>/);
    for (const text of ['100 %', 'true', 'false', 'P(`Peak day` > 3)', 'Q(`Peak day`, 0.5)'])
      expect(page.replaceAll('&gt;', '>')).toContain(
        `>${text}${text.startsWith('Q') ? ' (day)' : ''}</text>`,
      );
    // by default, the report shows the first numeric output, and a share if there is no numeric output
    expect(await renderReport(record, countsOf(16), stream(runs))).toMatch(answerOf('Peak day'));
    const shares = { ...record, campaign: { ...record.campaign, outputs: outputs.slice(0, 1), derived: [] } };
    expect(await renderReport(shares, countsOf(16), stream(runs))).toMatch(answerOf('Extinct'));
  });

  test('shows the first output that has values by default', async () => {
    const record = sampleRecord();
    const odd = rows(4).map((row, at) => {
      const { 'Fit error': error, ...others } = row.outputs;
      return { ...row, outputs: at < 2 ? others : { ...others, 'Fit error': error! } };
    });
    expect(await renderReport(record, countsOf(4), stream(odd))).toMatch(answerOf('Fit error'));
    const none = odd.map((row) => ({ ...row, outputs: { ...row.outputs, 'Fit error': 'null' } }));
    const page = await renderReport(record, countsOf(4), stream(none));
    expect(page).toMatch(answerOf('Peak day'));
    expect(page).toContain('Peak day over Contact rate and Recovery rate');
  });

  test('says that an output has no values, and then draws only the timeline', async () => {
    const record = sampleRecord();
    const none = rows(2).map((row) => ({ ...row, outputs: { 'Fit error': 'null' } }));
    const page = await renderReport(record, countsOf(2), stream(none));
    expect(page).toContain('No run that is done has a value of Fit error.');
    expect(page.match(/<figure/g)).toHaveLength(1);
    expect(page).toContain('<h2>Timeline</h2>');
  });

  test('says of a closed campaign, or of a filter, that no run is done', async () => {
    const record = sampleRecord();
    const failed = [failedRow(0, ['1.2', '0.3'], 'because'), failedRow(1, ['1.4', '0.3'], 'because')];
    const counts = { ...countsOf(0, 2), total: 9 };
    const page = (phase: typeof record.phase) => renderReport({ ...record, phase }, counts, stream(failed));
    expect(await page('completed')).toContain('No run is done, and 2 runs have failed.');
    expect(await page('running')).toContain('No run is done yet, and some have failed.');
  });

  test('groups failures by cause, and lists the most frequent cause first', async () => {
    const record = sampleRecord();
    const failed = ['a', 'b\nseed 166845506387790', 'b\nseed 7'].map((reason, i) =>
      failedRow(i, ['1.2', '0.3'], `because ${reason}`),
    );
    const page = await renderReport(record, countsOf(0, 3), stream(failed));
    expect(page).toContain('All runs have failed.');
    const table = page.slice(page.indexOf('>Failures<'));
    expect(
      [...table.matchAll(/<td class="(?:number|reason)">(.*?)<\/td>/gs)].map(([, cell]) => cell),
    ).toEqual(['2', 'because b\nseed …', '1', 'because a']);
    // the table shows the first failure of each cause, and the message of this failure if it says more than the cause
    const examples = [...table.matchAll(/<td>(.*?)<\/td>/gs)].map(([, cell]) =>
      cell!.replaceAll(/<.*?>|\s+/g, ' ').trim(),
    );
    expect(examples.slice(0, 2)).toEqual([
      expect.stringMatching(/0{15}1 +because b seed 166845506387790$/),
      expect.stringMatching(/0{15}0$/),
    ]);
  });
});
