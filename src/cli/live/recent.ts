import { numberIn } from '../../api/index.ts';
import type { CampaignOutput } from '../../campaign/types.ts';
import type { Foray } from '../../client/index.ts';
import type { Look, ResultRow } from '../../store/index.ts';

const ROWS = 20;
/** Values that a histogram is of, the last ones. */
const VALUES = 10_000;

/** What has finished lately in a campaign, gathered by one quick look after the other. */
export class Recent {
  /** Newest first. */
  rows: ResultRow[] = [];
  values: number[] = [];
  private last: Look | undefined;
  private readonly foray: Pick<Foray, 'recentRows'>;
  private readonly id: string;
  private readonly outputs: readonly CampaignOutput[];
  /** The first of the outputs of which there are values. */
  private found: CampaignOutput | undefined;

  /** @param outputs - numeric ones, of one of which the values are gathered */
  constructor(foray: Pick<Foray, 'recentRows'>, id: string, outputs: readonly CampaignOutput[]) {
    this.foray = foray;
    this.id = id;
    this.outputs = outputs;
  }

  /** Whose values are gathered; undefined where there are no numeric ones. */
  get output(): CampaignOutput | undefined {
    return this.found ?? this.outputs[0];
  }

  async look(): Promise<void> {
    const { rows, look } = await this.foray.recentRows(this.id, this.last);
    this.last = look;
    // of a run that failed and was requested again the last end counts
    const isAgain = new Set(rows.map(nameOf));
    this.rows = [...rows, ...this.rows.filter((row) => !isAgain.has(nameOf(row)))].slice(0, ROWS);
    this.found ??= this.outputs.find(({ name }) =>
      rows.some((row) => numberIn(row.outputs[name]) !== undefined),
    );
    if (this.found) {
      for (const { outputs } of rows) {
        const value = numberIn(outputs[this.found.name]);
        if (value !== undefined) this.values.push(value);
      }
    }
    if (this.values.length > VALUES) this.values = this.values.slice(-VALUES);
  }
}

function nameOf({ point, replication }: ResultRow): string {
  return `${point} ${replication}`;
}
