import { numberIn } from '../../api/index.ts';
import type { CampaignOutput } from '../../campaign/types.ts';
import type { Foray } from '../../client/index.ts';
import type { ResultCursor, ResultRow } from '../../store/index.ts';

/** Maximum number of runs that are kept. */
const MOST_KEPT = 20;
/** Maximum number of values in the histogram. Older values are left out. */
const MOST_VALUES = 10_000;

/** Collects the last finished runs of a campaign, and the values of one output. `look` reads the new finished runs. */
export class Recent {
  /** The finished runs, newest first. */
  rows: ResultRow[] = [];
  /** The values of the output, oldest first. A run has at most one, because its failed attempts have none. */
  values: number[] = [];
  #last: ResultCursor | undefined;
  readonly #foray: Pick<Foray, 'recentRows'>;
  readonly #id: string;
  readonly #outputs: readonly CampaignOutput[];
  /** The first of the outputs that has values. */
  #found: CampaignOutput | undefined;

  /** @param outputs - numeric outputs; the values of one of them are collected */
  constructor(foray: Pick<Foray, 'recentRows'>, id: string, outputs: readonly CampaignOutput[]) {
    this.#foray = foray;
    this.#id = id;
    this.#outputs = outputs;
  }

  /** The output whose values are collected; undefined when there are no numeric outputs. */
  get output(): CampaignOutput | undefined {
    return this.#found ?? this.#outputs[0];
  }

  async look(): Promise<void> {
    const { rows, look } = await this.#foray.recentRows(this.#id, this.#last);
    this.#last = look;
    // a run that failed and was requested again counts only with its last result
    const names = new Set(rows.map(nameOf));
    this.rows = [...rows, ...this.rows.filter((row) => !names.has(nameOf(row)))].slice(0, MOST_KEPT);
    this.#found ??= this.#outputs.find(({ name }) =>
      rows.some((row) => numberIn(row.outputs[name]) !== undefined),
    );
    if (this.#found) {
      for (const { outputs } of rows.toReversed()) {
        const value = numberIn(outputs[this.#found.name]);
        if (value !== undefined) this.values.push(value);
      }
    }
    if (this.values.length > MOST_VALUES) this.values = this.values.slice(-MOST_VALUES);
  }
}

function nameOf({ point, replication }: ResultRow): string {
  return `${point} ${replication}`;
}
