import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { renderReport } from '../../src/report/html.ts';
import type { ResultRow } from '../../src/store/index.ts';
import { countsOf, doubles, failedRow, sampleRecord, sampleRow, sampleRows, stream } from './support.ts';

const observed = { output: 'Infected', label: 'pupils in bed', points: [[1, 3] as const, [2, 8] as const] };

/** The paths of each mark group whose class matches. */
function marks(page: string, name: string): number[] {
  return [...page.matchAll(new RegExp(`<g class="mark-${name} role-mark[^>]*>(.*?)</g>`, 'gs'))].map(
    ([, group]) => group!.match(/<(path|line)/g)?.length ?? 0,
  );
}

describe('the report of a grid', () => {
  const record = sampleRecord();
  const rendered = renderReport(record, countsOf(1271), sampleRows(record), { observed });

  test('has a cell a point, the best one marked, the curves and the observations', async () => {
    const page = await rendered;
    // the rest are bars of the distributions and of the timeline
    expect(marks(page, 'rect')[0]).toBe(1271);
    expect(page).toContain('lowest: 17.21');
    expect(page).toContain('at Contact rate 1.675 per day, Recovery rate 0.44 per day');
    expect(page).toContain('Contact rate (per day)');
    // two rings around the best point, the means by each input with the lowest, then the observations
    expect(marks(page, 'symbol')).toEqual([1, 1, 41, 1, 31, 1, 2]);
    expect(page).toContain('pupils in bed');
    // two bands, the means by each input, the median and the best point's curve, and the runs outstanding
    expect([marks(page, 'area'), marks(page, 'line')]).toEqual([
      [1, 1, 1],
      [1, 1, 1, 1],
    ]);
  });

  test('has each numeric output, the time of the runs and what was run', async () => {
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
    // two of three are not reused, 5 s each
    expect(page).toContain('1 h 11 min in all');
    expect(page).toContain('Population');
  });

  test('says best only of a goal, and ranks by it', async () => {
    const plain = await rendered;
    expect(plain.replaceAll(/--best|var\(--best\)/g, '')).not.toMatch(/\bbest\b/i);
    const goal = { output: 'Fit error', wants: 'highest' } as const;
    const page = await renderReport(sampleRecord({ goal }), countsOf(1271), sampleRows(record));
    expect(page).toContain('<h2>Best points</h2>');
    expect(page).toContain('with the highest Fit error');
    expect(page).toContain('Highest Fit error');
    expect(page).toContain('The highest is marked');
    const firstOf = (text: string): number =>
      Number(/<strong>.*?>([\d.,]+)</.exec(text)![1]!.replace(',', ''));
    expect(firstOf(page)).toBeGreaterThan(firstOf(plain));
    // what is asked for goes before what the campaign says
    const asked = { ...goal, wants: 'lowest' } as const;
    const other = await renderReport(sampleRecord({ goal }), countsOf(1271), sampleRows(record), {
      goal: asked,
    });
    expect(other).toContain('with the lowest Fit error');
    expect(other).toContain('<h2>Best points</h2>');
  });

  test('lists the ten lowest points, lowest first', async () => {
    const keys = [...(await rendered).matchAll(/<code>([0-9a-f]{16})<\/code>/g)].map(([, key]) => key);
    expect(keys).toHaveLength(10);
    expect(keys[0]).toBe((27 + 19 * 31 - 13).toString(16).padStart(16, '0'));
  });

  test('loads nothing, and runs but the one script that saves pictures', async () => {
    const whole = await rendered;
    const [script, ...others] = [...whole.matchAll(/<script>(.*?)<\/script>/gs)].map(([, text]) => text!);
    expect(others).toEqual([]);
    const hash = createHash('sha256').update(script!).digest('base64');
    expect(/Content-Security-Policy" content="(.*?)"/.exec(whole)![1]).toContain(
      `script-src &#39;sha256-${hash}&#39;`,
    );
    const page = whole.replace(script!, '').replace('<script></script>', '');
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
    expect(page.match(/<script/g)).toHaveLength(1);
    expect(page.match(/script&#62;alert|script&gt;alert/g)!.length).toBeGreaterThan(20);
    expect(page).toContain('campaign: &#34;&#62;&#60;script');
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

  test('one numeric input: a point a value with its interval, of each output', async () => {
    const record = sampleRecord({ grid: [doubles('Contact rate', [1.2, 1.4, 1.6, 1.8])], replications: 3 });
    const page = await renderReport(record, countsOf(12), sampleRows(record));
    // the bars of distributions are rects
    expect(marks(page, 'rule')).toEqual([4, 4]);
    expect(marks(page, 'symbol')).toEqual([4, 1, 4, 1]);
    expect(page).toContain('Peak day by Contact rate');
    expect(page).toContain(
      'The mean at each value, with its 95 % confidence interval over the replications.',
    );
    expect(page).toContain('means over the replications');
    expect(page).toContain('Lowest point, its first replication, in front of the median');
  });

  test('known values: a line that is compared with the intervals', async () => {
    const record = sampleRecord({ grid: [doubles('Contact rate', [1.2, 1.4, 1.6])], replications: 3 });
    const numbers = (value: number) => new Map([['Peak day', value]]);
    // the rows of a point are alike, so its interval is its value
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
    const page = await renderReport(record, countsOf(9), sampleRows(record), options);
    expect(page).toContain('Orange: the values of theory.csv.');
    expect(page).toContain('Agreement with theory.csv');
    expect(page).toMatch(
      /1 of 2 intervals contains\s+the value that theory\.csv gives\. By chance, 5 % of such intervals miss/,
    );
    expect([...page.matchAll(/<td class="(?:bad)?">\s*(yes|no)\s*<\/td>/g)].map(([, is]) => is)).toEqual([
      'yes',
      'no',
    ]);
    // the line ends where the design does
    const [line] = [...page.matchAll(/<g class="mark-line role-mark[^>]*><path[^>]* d="([^"]*)"/g)];
    expect(line![1]!.match(/[ML]/g)).toHaveLength(3);
  });

  test('values that are far apart are at one distance from each other, each with its name', async () => {
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

  test('values of all magnitudes are drawn', async () => {
    const record = sampleRecord({ grid: [doubles('Rate', [1, 2, 3])] });
    const rows = ['1e-300', '1', '1e300'].map((error, at) => {
      const row = sampleRow(at, [String(at + 1)]);
      return { ...row, outputs: { ...row.outputs, 'Fit error': error } };
    });
    const page = await renderReport(record, countsOf(3), stream(rows));
    expect(page).toContain('Fit error by Rate');
    expect(page).not.toContain('NaN');
  });

  test('three inputs: a panel each', async () => {
    const grid = [doubles('A', [1, 2, 3]), doubles('B', [1, 2]), doubles('C', [1, 2])];
    const record = sampleRecord({ grid });
    const page = await renderReport(record, countsOf(12), sampleRows(record));
    expect(page).toContain('Fit error by A, B, C');
    expect(marks(page, 'symbol')).toEqual([3, 1, 2, 1, 2, 1]);
    expect(page).not.toContain('interval');
  });

  test('three inputs in a grid: a heat map for each value of one, too', async () => {
    const grid = [doubles('A', [1, 2, 3]), doubles('B', [1, 2, 3, 4]), doubles('C', [1, 2])];
    const record = sampleRecord({ grid });
    const page = await renderReport(record, countsOf(24), sampleRows(record));
    expect(page).toContain('Fit error over A and B, by C');
    expect(marks(page, 'rect').slice(0, 2)).toEqual([12, 12]);
  });

  test('nothing varied, or no numeric output: no effects', async () => {
    const fixed = sampleRecord({ grid: [], outputs: sampleRecord().campaign.outputs.slice(0, 2) });
    const one = await renderReport(fixed, countsOf(1), sampleRows(fixed));
    expect(
      [...one.matchAll(/<figure data-file="flu-calibration-7f3a-(.*?)\.svg"/g)].map(([, id]) => id),
    ).toEqual([]);
    const texts = sampleRecord({ outputs: [{ name: 'Trajectory', type: 'OUTPUT_FILE', units: null }] });
    const page = await renderReport(texts, countsOf(3), stream(rows(3)));
    expect(page).not.toContain('data-file="flu-calibration-7f3a-effects.svg"');
    expect(page).toContain('First points');
    expect(page.match(/<code>[0-9a-f]{16}/g)).toHaveLength(3);
  });

  test('replications of one point: bands of them, and the first one', async () => {
    const record = sampleRecord({ grid: [], replications: 20 });
    const page = await renderReport(record, countsOf(20), sampleRows(record));
    expect(page).toContain(
      'Replication 1 in front of the median and the middle 50 % and 90 % of all 20 runs',
    );
    // all are reused, so that none was outstanding
    expect(marks(page, 'area')).toEqual([1, 1]);
    expect(page).not.toContain('<h2>Timeline</h2>');
  });

  test('the chosen output is shown; one that there is not is an error with the names', async () => {
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

  test('BOOLEAN outputs and formulas are drawn as shares, and are in the table and the distributions', async () => {
    const rate = [doubles('Contact rate', [1, 2])];
    const outputs = [
      { name: 'Extinct', type: 'BOOLEAN', units: null },
      { name: 'Peak day', type: 'DOUBLE', units: 'DAY' },
    ] as const;
    const derived = ['P(`Peak day` > 3)', 'Q(`Peak day`, 0.5)'];
    const record = sampleRecord({ grid: rate, replications: 8, outputs: [...outputs], derived });
    const runs = ['1', '2'].flatMap((value, at) =>
      Array.from({ length: 8 }, (_, replication) => ({
        ...sampleRow(at, [value], replication + 1),
        outputs: { Extinct: String(replication < 2 * (at + 1)), 'Peak day': String(replication + at) },
      })),
    );
    const page = await renderReport(record, countsOf(16), stream(runs), { show: ['Extinct'] });
    expect(page).toMatch(/Lowest Extinct\s*<strong>25 %</);
    expect(page).toContain('Extinct by Contact rate');
    expect(page).toContain(
      'The share at each value, with its 95 % confidence interval over the replications.',
    );
    expect(page).toContain('The mean or share or quantile at each value');
    expect(page).toContain('Extinct (share)</th>');
    expect(page).toMatch(/25 %<\/td>[^]*50 %<\/td>/);
    for (const text of ['100%', 'true', 'false', 'P(`Peak day` > 3)', 'Q(`Peak day`, 0.5)'])
      expect(page.replaceAll('&gt;', '>')).toContain(
        `>${text}${text.startsWith('Q') ? ' (day)' : ''}</text>`,
      );
    // by itself the first number comes first, and without one a share
    expect(await renderReport(record, countsOf(16), stream(runs))).toContain('Lowest Peak day');
    const shares = { ...record, campaign: { ...record.campaign, outputs: outputs.slice(0, 1), derived: [] } };
    expect(await renderReport(shares, countsOf(16), stream(runs))).toContain('Lowest Extinct');
  });

  test('of no output in particular it is the first one that has values', async () => {
    const record = sampleRecord();
    const odd = rows(4).map((row, at) => {
      const { 'Fit error': error, ...others } = row.outputs;
      return { ...row, outputs: at < 2 ? others : { ...others, 'Fit error': error! } };
    });
    expect(await renderReport(record, countsOf(4), stream(odd))).toContain('Lowest Fit error');
    const none = odd.map((row) => ({ ...row, outputs: { ...row.outputs, 'Fit error': 'null' } }));
    const page = await renderReport(record, countsOf(4), stream(none));
    expect(page).toContain('Lowest Peak day');
    expect(page).toContain('Peak day over Contact rate and Recovery rate');
  });

  test('an output that no run has a value of', async () => {
    const record = sampleRecord();
    const none = rows(2).map((row) => ({ ...row, outputs: { 'Fit error': 'null' } }));
    const page = await renderReport(record, countsOf(2), stream(none));
    expect(page).toContain('No run that is done has a value of Fit error.');
    expect(page.match(/<figure/g)).toHaveLength(1);
    expect(page).toContain('<h2>Timeline</h2>');
  });

  test('failures are grouped by cause, the commonest first', async () => {
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
    // the first of each, with what it said where that is more than the cause
    const examples = [...table.matchAll(/<td>(.*?)<\/td>/gs)].map(([, cell]) =>
      cell!.replaceAll(/<.*?>|\s+/g, ' ').trim(),
    );
    expect(examples.slice(0, 2)).toEqual([
      expect.stringMatching(/0{15}1 +because b seed 166845506387790$/),
      expect.stringMatching(/0{15}0$/),
    ]);
  });
});

describe('what is not shown is said', () => {
  const pageOf = async (record: ReturnType<typeof sampleRecord>, rows: ResultRow[], options = {}) => {
    const page = await renderReport(record, countsOf(rows.length), stream(rows), options);
    return page.replaceAll(/\s+/g, ' ');
  };
  /** The page without its pictures. */
  const wordsOf = async (...args: Parameters<typeof pageOf>) =>
    (await pageOf(...args)).replaceAll(/<(svg|style|script).*?<\/\1>/g, '');
  const named = (count: number, name: string, type: 'DOUBLE' | 'DATA_SET') =>
    Array.from({ length: count }, (_, i) => ({ name: `${name} ${i + 1}`, type, units: null }));

  test('outputs beyond the twelfth, but for the one that is chosen', async () => {
    const outputs = named(14, 'Cost', 'DOUBLE');
    const record = sampleRecord({ grid: [doubles('Rate', [1, 2, 3])], outputs });
    const rows = [1, 2, 3].map((rate, i) => ({
      ...sampleRow(i, [String(rate)]),
      outputs: Object.fromEntries(outputs.map(({ name }, at) => [name, String(rate * (at + 1))])),
    }));
    const page = await pageOf(record, rows, { show: ['Cost 14'] });
    // in the captions of other effects and of distributions, each for the eyes and as what a picture is called
    expect(page.match(/Of 14 outputs the first 12 are shown\./g)).toHaveLength(4);
    // best points have all; effects and distributions a picture of each
    const texts = (name: string) => page.match(new RegExp(`>${name}</text>`, 'g'))?.length;
    expect([texts('Cost 14'), texts('Cost 11'), texts('Cost 12')]).toEqual([2, 2, undefined]);
    const few = { ...record, campaign: { ...record.campaign, outputs: outputs.slice(0, 12) } };
    expect(await wordsOf(few, rows)).not.toContain('outputs the first');
  });

  test('DATA_SETs beyond the eighth, but for the one that was observed', async () => {
    const outputs = named(10, 'Course', 'DATA_SET');
    const record = sampleRecord({ outputs });
    const row = sampleRow(0, ['1.2', '0.3']);
    const curve = JSON.stringify({ dataX: [0, 1], dataY: [2, 3] });
    const rows = [{ ...row, outputs: Object.fromEntries(outputs.map(({ name }) => [name, curve])) }];
    const page = await pageOf(record, rows, { observed: { ...observed, output: 'Course 10' } });
    const titles = [...page.matchAll(/<h2>Course (\d+)<\/h2>/g)].map(([, number]) => Number(number));
    expect(titles).toEqual([10, 1, 2, 3, 4, 5, 6, 7]);
    expect(page).toContain('pupils in bed');
    // under the last of them alone
    expect(page.match(/<p class="soft">[^<]*Of 10 DATA_SETs the first 8 are shown\.<\/p>/g)).toHaveLength(1);
    expect(page.lastIndexOf('the first 8')).toBeGreaterThan(page.indexOf('<h2>Course 7'));
  });

  test.each([
    [512, false],
    [513, true],
  ])('points of curves of %d of them', async (points, isSaid) => {
    const record = sampleRecord();
    const dataX = Array.from({ length: points }, (_, i) => i);
    const outputs = { 'Fit error': '1', Infected: JSON.stringify({ dataX, dataY: dataX }) };
    const rows = [0, 1].map((i) => ({ ...sampleRow(i, ['1.2', '0.3']), outputs }));
    const said = (await wordsOf(record, rows)).includes(
      'A curve with more points is drawn with 512 of them, spread evenly.',
    );
    expect(said).toBe(isSaid);
  });

  test('an input of many texts, and values that are grouped', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, i) => `text ${i}`);
    const rates = doubles(
      'Rate',
      Array.from({ length: 201 }, (_, i) => i),
    );
    const records = [
      sampleRecord({ grid: [{ name: 'Policy', type: 'STRING', units: null, values: many(51) }] }),
      sampleRecord({ grid: [{ name: 'Policy', type: 'STRING', units: null, values: many(50) }] }),
      sampleRecord({ grid: [rates] }),
      sampleRecord({ grid: [rates, doubles('Limit', [1, 2])] }),
    ];
    const [crowded, texts, line, grid] = await Promise.all(
      records.map(async (record) => {
        const rows = await Array.fromAsync(sampleRows(record));
        // of texts the sample makes no numbers
        return wordsOf(
          record,
          rows.map((row, i) => ({ ...row, outputs: { 'Fit error': String(i % 7) } })),
        );
      }),
    );
    const [by, together] = ['Effects by Policy are not drawn', 'Neighbouring values of Rate are grouped'];
    expect(crowded).toContain(`${by}, because there are more than 50 different texts.`);
    expect(texts).not.toContain(by);
    expect(texts).not.toContain(together);
    expect(line).toContain(`${together}.`);
    expect(grid).toContain('Each cell is the mean of neighbouring points of the design');
  });

  test('runs that have no finite value', async () => {
    const outputs = ['Drawn', 'Whole', 'Alike', 'Lone', 'Same', 'None'].map((name) => ({
      name,
      type: 'DOUBLE' as const,
      units: null,
    }));
    const record = sampleRecord({ outputs });
    const alike = ['"-Infinity"', '0.5', '"Infinity"', '"Infinity"'];
    const rows = Array.from({ length: 48 }, (_, i): ResultRow => {
      const drawn: Record<string, string> =
        i < 3 ? { Drawn: ['null', '"NaN"', ''][i]! } : i === 3 ? {} : { Drawn: String(i) };
      const lone: Record<string, string> = i === 7 ? { Lone: '3' } : {};
      const others = { Whole: String(i), Alike: alike[i % 4]!, Same: '2', None: '"Infinity"' };
      return { ...sampleRow(i, ['1.2', '0.3']), outputs: { ...drawn, ...lone, ...others } };
    });
    expect(await wordsOf(record, rows)).toContain(
      'The number of runs by value: 48 runs over all points. Runs without a finite value are left out: 4 of Drawn. ' +
        'In all runs Same is 2. In all 12 runs with a finite value, Alike is 0.5. ' +
        'In the only run with a finite value, Lone is 3. No run has a finite value of None.<',
    );
  });

  test('points of an earlier design', async () => {
    const record = sampleRecord({ grid: [doubles('Rate', [1, 2, 3])] });
    const rows = ['1', '2', '3', '9'].map((rate, i) => sampleRow(i, [rate]));
    const said = 'Points of an earlier design with other values are not in these pictures.';
    expect(await wordsOf(record, rows)).toContain(said);
    expect(await wordsOf(record, rows.slice(0, 3))).not.toContain(said);
  });

  test('known values of points that have not finished', async () => {
    const record = sampleRecord({ grid: [doubles('Rate', [1, 2, 3])] });
    const numbers = new Map([['Fit error', 1]]);
    const known = ['1', '2', '2.5'].map((rate) => ({ values: [rate], numbers }));
    const reference = { label: 'theory.csv', outputs: ['Fit error'], rows: known };
    const rows = ['1', '2'].map((rate, i) => sampleRow(i, [rate]));
    const said = 'of theory.csv is for points that have not finished.';
    expect(await wordsOf(record, rows, { reference })).toContain(`1 value ${said}`);
    const both = { ...reference, rows: known.slice(0, 2) };
    expect(await wordsOf(record, rows, { reference: both })).not.toContain(said);
  });
});
