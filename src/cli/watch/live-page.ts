import type { Campaign, CampaignOutput } from '../../campaign/types.ts';
import type { CampaignStatus, Foray } from '../../client/index.ts';
import { strategyLine } from '../../report/index.ts';
import type { CampaignRecord, StoredLog } from '../../store/index.ts';
import { pageOf } from './page.ts';
import { Recent } from './recent.ts';
import { Screen } from './screen.ts';
import type { LiveState } from './state.ts';

/** Delay between a change of the terminal's size and the next drawing, ms. */
const RESIZE_MS = 150;

/** The page of an open campaign in a terminal. */
export class LivePage {
  readonly #campaign: Campaign;
  readonly #terminal: NodeJS.WriteStream;
  readonly #screen: Screen;
  readonly #recent: Recent;
  readonly #about: Pick<LiveState, 'varied' | 'isReplicated' | 'goal'>;
  readonly #lastFailure: () => Promise<StoredLog | undefined>;
  #failure: StoredLog | undefined;
  #status: CampaignStatus | undefined;
  #resizing: NodeJS.Timeout | undefined;
  readonly #resized = (): void => {
    this.#resizing ??= setTimeout(() => {
      this.#resizing = undefined;
      this.#draw();
    }, RESIZE_MS);
  };

  /** @param outputs - numeric outputs; the page shows the first output that has values */
  constructor(
    terminal: NodeJS.WriteStream,
    foray: Pick<Foray, 'recentRows' | 'lastFailureLog'>,
    { campaign }: Pick<CampaignRecord, 'campaign'>,
    outputs: readonly CampaignOutput[],
  ) {
    this.#campaign = campaign;
    this.#terminal = terminal;
    this.#screen = new Screen(terminal);
    this.#recent = new Recent(foray, campaign.id, outputs);
    this.#lastFailure = () => foray.lastFailureLog(campaign.id);
    const { varied, replications, precision, goal } = campaign;
    this.#about = { varied, isReplicated: replications > 1 || precision !== null, goal };
    terminal.on('resize', this.#resized);
  }

  async update(status: CampaignStatus): Promise<void> {
    await this.#recent.look();
    // a retry can reduce the number of failed runs to 0
    if (status.runs.failed !== (this.#status?.runs.failed ?? 0))
      this.#failure = status.runs.failed > 0 ? await this.#lastFailure() : undefined;
    this.#status = status;
    this.#draw();
  }

  /** Ends the page. The last drawing stays. */
  close(): void {
    clearTimeout(this.#resizing);
    this.#terminal.off('resize', this.#resized);
    this.#screen.close();
  }

  #draw(): void {
    if (!this.#status) return;
    const { output, rows, values } = this.#recent;
    const failure = this.#failure;
    const status = this.#status;
    const strategy = strategyLine(this.#campaign, status.strategy);
    const state = { ...this.#about, status, strategy, output, rows, values, failure };
    this.#screen.draw(pageOf(state, this.#screen.size));
  }
}
