import { findsPoints, hasStrategy } from '../../campaign/strategy.ts';
import type { Campaign } from '../../campaign/types.ts';
import type { ResultRow } from '../../store/index.ts';
import { type Column, count, inputColumns, number, text } from './column-types.ts';

/** A cell of a table: the text of a value, with numbers as the service gave them. Null if there is no value. */
export type Cell = string | null;

/** Columns of each run: its point, replication and status. */
const HEAD: readonly Column[] = [text('point'), count('replication'), text('status')];
/** The column of a campaign whose runs have different versions of the model. */
const VERSION = count('version');
/** The column of a campaign whose design has some points several times: how often it has the point. */
export const DRAWS = count('draws');
/** The column of a search or calibration: the number of the ask. An ask is a point that the search asked for. */
const ASK = count('ask');
/** The columns of a calibration: the generation of the run's point, and the weight of the point in this generation. */
const PARTICLE: readonly Column[] = [count('generation'), number('weight')];
/** Why a run failed. */
export const REASON = text('reason');
/** The columns at the end, only if all columns are wanted. Their values may differ between equal campaigns. */
export const ALL: readonly Column[] = [
  text('run'),
  text('origin'),
  instant('requested'),
  instant('finished'),
];

/** The part of a campaign that determines the columns of its results. */
export type TabledCampaign = Pick<Campaign, 'varied' | 'outputs' | 'versions' | 'strategy' | 'repeats'>;

/** The columns before the outputs: the columns of the run, then the inputs that the design varies. */
export function headColumns(campaign: TabledCampaign): Column[] {
  return [
    ...HEAD,
    ...(campaign.versions ? [VERSION] : []),
    ...(campaign.repeats === undefined ? [] : [DRAWS]),
    ...(findsPoints(campaign) ? [ASK] : []),
    ...(hasStrategy(campaign, 'calibration') ? PARTICLE : []),
    ...inputColumns(campaign),
  ];
}

/** The cells of `headColumns`. */
export function headOf(campaign: TabledCampaign, row: ResultRow): Cell[] {
  const { versions, repeats } = campaign;
  const { point, replication, status, version, values } = row;
  const versionCell = versions ? [String(version ?? versions[0]!.version)] : [];
  const found = [
    ...(findsPoints(campaign) ? [row.ask] : []),
    ...(hasStrategy(campaign, 'calibration') ? [row.generation, row.weight] : []),
  ].map((each) => (each == null ? null : String(each)));
  const drawsCell = repeats === undefined ? [] : [String(row.draws ?? 1)];
  return [point, String(replication), status, ...versionCell, ...drawsCell, ...found, ...values];
}

/** The cells of `ALL`. */
export function allOf({ runId, origin, requestedAt, finishedAt }: ResultRow): Cell[] {
  return [runId, origin, isoTime(requestedAt), isoTime(finishedAt)];
}

function instant(name: string): Column {
  return { name, kind: 'text', type: 'INSTANT' };
}

/** Formats a time in ms since the epoch as ISO 8601 in UTC. */
function isoTime(time: number | null): Cell {
  return time === null ? null : new Date(time).toISOString();
}
