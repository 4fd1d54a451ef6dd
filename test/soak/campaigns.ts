import { setTimeout as delay } from 'node:timers/promises';
import type { Foray } from '../../src/client/index.ts';
import { isForayError, messageOf } from '../../src/errors.ts';
import { closedPhases } from '../../src/campaign/types.ts';
import { type CampaignCourse, definitionOf } from './expected.ts';
import type { Action } from './schedule.ts';

const AGAIN_MS = 1_000;
const FILE = 'soak.json';

/**
 * Carries out actions on campaigns. The actions on one campaign run one after the other. Each action is repeated until
 * it is acknowledged. An action without acknowledgement may have succeeded, but all of these actions can be repeated
 * safely.
 */
export class Campaigns {
  readonly courses = new Map<number, CampaignCourse>();
  readonly counts = { submitted: 0, cancelled: 0, acknowledged: 0 };
  /** The last problem of each action that is not acknowledged yet. */
  readonly #waiting = new Map<Action, string>();
  readonly #queues = new Map<number, Promise<void>>();
  readonly #foray: Foray;
  #isGivenUp = false;

  constructor(foray: Foray) {
    this.#foray = foray;
  }

  /** Queues an action behind the earlier actions on the same campaign. */
  begin(action: Action): void {
    const { campaign } = action;
    if (action.kind === 'submit')
      this.courses.set(campaign, { id: `soak-${campaign}`, plans: [], isEnded: false, wasEnded: false });
    // a reduced schedule may not submit this campaign
    const course = this.courses.get(campaign);
    if (!course) return;
    this.#waiting.set(action, 'the action was not begun');
    this.#queues.set(
      campaign,
      (this.#queues.get(campaign) ?? Promise.resolve()).then(() => this.#carryOut(action, course)),
    );
  }

  get unacknowledged(): string[] {
    return [...this.#waiting].map(([{ kind, campaign }, why]) => `${kind} of soak-${campaign}: ${why}`);
  }

  /** Resolves when all actions are acknowledged, or after a time limit. */
  async drain(seconds: number): Promise<void> {
    const all = Promise.all(this.#queues.values());
    await Promise.race([all, delay(1_000 * seconds, undefined, { ref: false })]);
  }

  /** Stops repeating the actions that are not acknowledged yet. */
  giveUp(): void {
    this.#isGivenUp = true;
  }

  async open(): Promise<string[]> {
    const records = await this.#foray['store'].listCampaigns();
    return records.filter(({ phase }) => !closedPhases.includes(phase)).map(({ campaign }) => campaign.id);
  }

  async #carryOut(action: Action, course: CampaignCourse): Promise<void> {
    while (!this.#isGivenUp) {
      try {
        await this.#act(action, course);
        this.#waiting.delete(action);
        this.counts.acknowledged += 1;
        return;
      } catch (error) {
        this.#waiting.set(action, messageOf(error));
        await delay(AGAIN_MS);
      }
    }
  }

  async #act(action: Action, course: CampaignCourse): Promise<void> {
    const foray = this.#foray;
    const { id } = course;
    switch (action.kind) {
      case 'submit':
        await foray.submit({ definition: definitionOf(action.plan), file: FILE }, { id });
        course.plans.push(action.plan);
        this.counts.submitted += 1;
        return;
      case 'apply':
        await foray.apply(id, { definition: definitionOf(action.plan), file: FILE });
        course.plans.push(action.plan);
        course.isEnded = false;
        return;
      case 'retry':
        await foray.retry(id);
        course.isEnded = false;
        return;
      case 'cancel':
        // the course is changed before the request, because the answer may be lost; a campaign that has already
        // completed must still have all results
        course.isEnded = course.wasEnded = true;
        if (await unlessClosed(() => foray.cancel(id))) this.counts.cancelled += 1;
        return;
      case 'stop':
        course.isEnded = course.wasEnded = true;
        await unlessClosed(() => foray.steer(id, 'stop'));
        return;
      case 'pause':
      case 'resume':
        await unlessClosed(() => foray.steer(id, action.kind));
        return;
      case 'concurrency':
        await unlessClosed(() => foray.setConcurrency(id, action.value));
        return;
    }
  }
}

/** Carries out an action. Returns false if the campaign is already over. */
async function unlessClosed(act: () => Promise<void>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    if (isForayError(error) && error.code === 'CAMPAIGN_CLOSED') return false;
    throw error;
  }
}
