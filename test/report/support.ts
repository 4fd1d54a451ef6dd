import { Readable } from 'node:stream';
import { Batched } from '../../src/batched.ts';
import { type Campaign, ONE_ATTEMPT, type RunCounts } from '../../src/campaign/types.ts';
import type { Strategy } from '../../src/campaign/strategy.ts';
import { stepValues } from '../../src/api/ranges.ts';
import { levelsOf } from '../../src/campaign/designs/index.ts';
import type { CampaignRecord, ResultRow } from '../../src/store/index.ts';

/** The seed of a model with chance. */
export const SEED = { name: '{RANDOM_SEED}', type: 'LONG', units: null, value: '1' } as const;

/** A campaign over the grid of the example boarding-school-flu, or over another grid, with the given changes. */
export function sampleRecord<S extends Strategy = Strategy>({
  grid = FLU,
  ...changes
}: Partial<Campaign> & { grid?: Level[]; strategy?: S } = {}): CampaignRecord & {
  campaign: { strategy: S };
} {
  const campaign = {
    strategy: { by: 'design' },
    id: 'flu-calibration-7f3a',
    name: 'flu-calibration',
    service: 'http://127.0.0.1:8090/api/open/8.5.0',
    model: { id: 'm', name: 'Epidemic', versionId: 'v', version: 1 },
    base: [{ name: 'Population', type: 'INTEGER', units: null, value: '763' }],
    ...gridOf(grid),
    files: [],
    replications: 1,
    precision: null,
    seed: null,
    commonRandomNumbers: false,
    outputs: [
      { name: 'Fit error', type: 'DOUBLE', units: null },
      { name: 'Peak day', type: 'DOUBLE', units: 'DAY' },
      { name: 'Infected', type: 'DATA_SET', units: null },
      { name: 'Trajectory', type: 'OUTPUT_FILE', units: null },
    ],
    outputFiles: 'link',
    concurrency: 'auto',
    failures: null,
    attempts: ONE_ATTEMPT,
    timeouts: { run: null, campaign: null },
    fresh: null,
    priority: 3,
    ...changes,
  } as Campaign & { strategy: S };
  const points = grid.reduce((product, { values }) => product * values.length, 1);
  const [createdAt, updatedAt] = [Date.UTC(2026, 0, 31, 8, 30), Date.UTC(2026, 0, 31, 8, 31)];
  return {
    campaign,
    definition: '',
    digest: 'd',
    phase: 'completed',
    points,
    createdAt,
    updatedAt,
    note: '',
    owner: null,
  };
}

/** A varied input and its values in a grid. */
export type Level = Campaign['varied'][number] & { values: string[] };

export function doubles(name: string, values: readonly number[]): Level {
  return { name, type: 'DOUBLE', units: 'PER_DAY', values: values.map(String) };
}

const FLU = [
  doubles('Contact rate', stepValues(1.2, 2.2, 0.025)),
  doubles('Recovery rate', stepValues(0.3, 0.6, 0.01)),
];

export function gridOf(grid: readonly Level[]): Pick<Campaign, 'varied' | 'design'> {
  return {
    varied: grid.map(({ name, type, units }) => ({ name, type, units })),
    design: { kind: 'grid', inputs: grid.map(({ name }) => name), values: grid.map(({ values }) => values) },
  };
}

/**
 * Finished rows of all runs, in the order of the design. The formula of Fit error has its minimum, 17.2, at Contact
 * rate 1.67 and Recovery rate 0.44.
 */
export function sampleRows({ campaign }: CampaignRecord): Batched<ResultRow> {
  const grid = [...levelsOf(campaign.design).values()].reduce<string[][]>(
    (points, values) => points.flatMap((point) => values.map((value) => [...point, value])),
    [[]],
  );
  const replications = Array.from({ length: campaign.replications }, (_, at) => at + 1);
  const rows = grid.flatMap((values, at) => replications.map((number) => sampleRow(at, values, number)));
  return stream(rows);
}

export function sampleRow(index: number, values: string[], replication = 1): ResultRow {
  const [contact = 1.67, recovery = 0.44] = values.map(Number);
  const dataX = Array.from({ length: 15 }, (_, day) => day);
  const peakDay = 6 + 4 * (1.67 - contact) + 5 * (recovery - 0.44);
  const height = 295 * Math.exp(0.6 * (contact - 1.67) - 2.2 * (recovery - 0.44));
  const dataY = dataX.map((day) => height / Math.cosh((day - peakDay) * 0.55) ** 1.6);
  const away = ((contact - 1.67) / 0.25) ** 2 + ((recovery - 0.44) / 0.06) ** 2;
  return {
    point: index.toString(16).padStart(16, '0'),
    replication,
    status: 'done',
    values,
    outputs: {
      'Fit error': String(Math.sqrt(17.2 ** 2 + 1100 * away)),
      'Peak day': String(peakDay),
      Infected: JSON.stringify({ dataX, dataY }),
      Trajectory: JSON.stringify({ hash: 'h', localPath: 'trajectory.csv' }),
    },
    reason: null,
    runId: `run-${index}-${replication}`,
    origin: index % 3 === 0 ? 'reused' : 'new',
    requestedAt: Date.UTC(2026, 0, 31, 8, 30),
    finishedAt: Date.UTC(2026, 0, 31, 8, 30, 5),
    version: null,
  };
}

export function failedRow(index: number, values: string[], reason: string): ResultRow {
  return { ...sampleRow(index, values), status: 'failed', outputs: {}, reason, origin: null };
}

export function countsOf(done: number, failed = 0): RunCounts {
  const reused = Math.floor(done / 3);
  return {
    total: done + failed,
    done,
    new: done - reused,
    reused,
    failed,
    running: 0,
    queued: 0,
    waiting: 0,
  };
}

/** Gives the items one at a time. */
export function stream<Item>(items: Iterable<Item>): Batched<Item> {
  return Batched.single(Readable.from(items) as AsyncIterable<Item>);
}

export async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  return (await Array.fromAsync(pieces)).join('');
}

/** Observations of the output "Infected". */
export const observed = {
  output: 'Infected',
  label: 'pupils in bed',
  points: [[1, 3] as const, [2, 8] as const],
};
