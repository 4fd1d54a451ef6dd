import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { NoticeCall } from '../campaign/notice.ts';
import { type Step, steps } from '../campaign/strategy.ts';
import type { StoppedRuns } from '../campaign/stopped-runs.ts';
import type { Campaign, Phase, RunCounts } from '../campaign/types.ts';
import { finishedIn } from '../campaign/scheduler/index.ts';
import { isLoopback } from '../cloud/index.ts';
import { ServiceAtHand } from '../resolve/index.ts';
import { campaignDeleted, type CampaignRecord } from '../store/index.ts';
import { advance } from './advance.ts';
import { change } from './change.ts';
import { failureOf } from './activity-failure.ts';
import { grow } from './grow.ts';
import { HEARTBEAT_TIMEOUT } from '../campaign/heartbeat.ts';
import { countTick } from './metrics.ts';
import { notify } from './notify.ts';
import { select } from './select.ts';
import { prepare, type Prepared } from './prepare.ts';
import { Courses, propose, type Proposed } from './propose.ts';
import { stopOpenRuns } from './stop.ts';
import type {
  AdvanceInput,
  AdvanceResult,
  CampaignAddress,
  ChangeAnswer,
  ChangeRequest,
  World,
} from './types.ts';

export { Courses } from './propose.ts';
export type { Prepared } from './prepare.ts';
export type { Proposed } from './propose.ts';
export type {
  AdvanceResult,
  CampaignAddress,
  ChangeAnswer,
  ChangeRequest,
  DefinitionMessage,
  KnownFiles,
  RetryWhat,
} from './types.ts';

/** When an activity that this worker refused is offered again, so that the right worker can take it, ms. */
const REFUSED_AGAIN_AFTER_MS = 10_000;
/** A change of the clock of Temporal's server has its full effect after so many activities. */
const MOST_LEADS = 50;
const MOST_ENDED = 1_000;
/** The code of the error about a campaign that was deleted. */
const DELETED = 'UNKNOWN_CAMPAIGN';

/**
 * The activities: everything that a campaign's workflow does outside of Temporal.
 *
 * @param courses - the caller closes them when the worker ends
 */
export function createActivities(parts: Omit<World, 'now'>, courses = new Courses()) {
  const service = new ServiceAtHand(parts.cloud, parts.service);
  const clockLead = new ClockLead();

  /** Runs one activity of a campaign, if this worker has what the activity needs of the campaign. */
  function act<T>(
    address: CampaignAddress,
    work: (record: CampaignRecord, signal: AbortSignal, world: World) => Promise<T>,
    needs: 'service' | 'service or its address' | 'store' = 'store',
  ): Promise<T> {
    return withHeartbeats(clockLead, async (signal, now) => {
      const record = await recordOf(parts, address);
      const hasAll =
        needs === 'store' ||
        (needs === 'service or its address' && service.isAt(record.campaign)) ||
        (await service.has(record.campaign));
      if (!hasAll) throw refusal(otherService(parts.service, record.campaign));
      return work(record, signal, { ...parts, now });
    });
  }

  const makeStep: Record<Step, (campaign: Campaign, signal: AbortSignal, world: World) => Promise<Proposed>> =
    {
      points: (campaign, signal, { store }) => propose({ store, courses }, campaign, signal),
      replications: (campaign, signal, { store }) => select(store, campaign, signal),
      size: ({ id }, signal, world) => grow(world, id, signal),
    };

  /** Makes the next step of a campaign's strategy. */
  function nextStep({ campaign }: CampaignRecord, signal: AbortSignal, world: World): Promise<Proposed> {
    const step = steps[campaign.strategy.by];
    if (step === null) throw new Error(`The strategy ${campaign.strategy.by} has no steps`);
    return makeStep[step](campaign, signal, world);
  }

  return {
    /** Uploads the campaign's files that the service does not have, and expands the design. */
    prepare: (address: CampaignAddress): Promise<Prepared> =>
      act(address, (record, signal, world) => prepare(world, record, signal), 'service'),

    /**
     * Carries out the decision of one tick, or a part of it: requests runs, polls runs, and stores results. Then it
     * continues the search or the selection, if enough runs have finished for that.
     */
    advance: (input: AdvanceInput): Promise<AdvanceResult> =>
      act(
        input,
        async (record, signal, world) => {
          const result = await advance(world, record, input, signal);
          countTick(input, result);
          const { proposeAfter = Infinity } = input;
          if (finishedIn(result.outcomes) < proposeAfter) return result;
          return { ...result, proposed: await nextStep(record, signal, world) };
        },
        'service',
      ),

    /**
     * Continues a search: tells its method the values of finished points, and adds the points that the method asks for.
     * Continues a selection: adds the replications that it asks for. Continues a growing design: adds points if an
     * interval is too wide.
     */
    propose: (address: CampaignAddress): Promise<Proposed> => act(address, nextStep),

    /** A page of the seqs of waiting runs after a given seq, in ascending order. */
    waitingRuns: (
      input: CampaignAddress & { after: number; limit: number; failedOnly: boolean },
    ): Promise<number[]> =>
      act(input, (_record, _signal, { store }) =>
        store.waitingRuns(input.campaign, input.after, input.limit, input.failedOnly),
      ),

    /**
     * Changes the campaign in the store: runs are requested again, or the definition changes. `goesOn`: the campaign
     * was closed and opens again.
     */
    change: (input: CampaignAddress & { request: ChangeRequest; goesOn: boolean }): Promise<ChangeAnswer> =>
      act(input, (record, signal, world) => change(world, record, input, signal), 'service').catch(
        (error: unknown) => {
          if (!(error instanceof ApplicationFailure) || error.type !== DELETED) throw error;
          return { refused: error.message, code: DELETED };
        },
      ),

    /**
     * Stops the campaign's own runs at the service, unless another campaign waits for them. If another service answers
     * at the campaign's address, it does not know these runs. They then count as stopped, so that the campaign can end.
     */
    stopRuns: (address: CampaignAddress): Promise<StoppedRuns> =>
      act(address, (record, signal, world) => stopOpenRuns(world, record, signal), 'service or its address'),

    /** Writes the phase to the store. The phase decides whether the store allows requests. */
    enterPhase: (input: CampaignAddress & { phase: 'running' | 'paused' | 'stopping' }): Promise<void> =>
      act(input, (_record, _signal, { store, now }) => store.setPhase(input.campaign, input.phase, now())),

    /** Writes the campaign's last phase, so that clients can read it without a worker. Returns the final counts. */
    close: (input: CampaignAddress & { phase: Phase; note: string }): Promise<RunCounts> =>
      act(input, async (_record, _signal, { store, now }) => {
        await store.setPhase(input.campaign, input.phase, now(), input.note);
        return store.counts(input.campaign);
      }),

    /** Calls the webhook or the command of a notice. */
    notify: (call: NoticeCall): Promise<void> =>
      withHeartbeats(clockLead, (signal, now) =>
        notify(parts, call, { signal, waited: now() - activityInfo().scheduledTimestampMs }),
      ),
  };
}

/**
 * How far the steady clock of this process is ahead of the clock of Temporal's server, ms: the least difference between the
 * start of an activity and its scheduled time, of the last activities. An activity that waited for a worker, perhaps for
 * hours, would make the clock look ahead. An activity that follows one which ended here has not waited, so only such
 * activities count. Until there is one, both clocks count as equal.
 */
class ClockLead {
  readonly #leads: number[] = [];
  /** The executions of workflows whose last activity ended here. */
  readonly #endedHere = new Set<string>();

  /** @param lead - the start of an activity by the steady clock, less its scheduled time, ms */
  started(execution: string, lead: number): void {
    if (!this.#endedHere.delete(execution)) return;
    this.#leads.push(lead);
    if (this.#leads.length > MOST_LEADS) this.#leads.shift();
  }

  ended(execution: string): void {
    this.#endedHere.add(execution);
    if (this.#endedHere.size > MOST_ENDED) this.#endedHere.delete(this.#endedHere.values().next().value!);
  }

  get ms(): number {
    return this.#leads.length === 0 ? 0 : Math.min(...this.#leads);
  }
}

/** The time of this process in ms, whatever happens to the clock of its machine. */
function steadyTime(): number {
  return performance.timeOrigin + performance.now();
}

/** Runs one activity: sends heartbeats, and gives errors a type. `now` is about the time of Temporal's server. */
async function withHeartbeats<T>(
  clockLead: ClockLead,
  work: (signal: AbortSignal, now: World['now']) => Promise<T>,
): Promise<T> {
  const beat = setInterval(() => heartbeat(), HEARTBEAT_TIMEOUT / 5);
  const { attempt, currentAttemptScheduledTimestampMs: scheduled, workflowExecution } = activityInfo();
  const { runId = '' } = workflowExecution ?? {};
  if (attempt === 1) clockLead.started(runId, steadyTime() - scheduled);
  try {
    return await work(cancellationSignal(), () => Math.round(steadyTime() - clockLead.ms));
  } catch (error) {
    throw failureOf(error, attempt);
  } finally {
    clearInterval(beat);
    clockLead.ended(runId);
  }
}

export type Activities = ReturnType<typeof createActivities>;

/**
 * The campaign's record. Throws if this worker has another store. If the store no longer has the campaign, no worker can
 * go on with it, so the error ends the workflow. Another campaign may have its id.
 */
async function recordOf(
  world: Omit<World, 'now'>,
  { campaign, createdAt, store }: CampaignAddress,
): Promise<CampaignRecord> {
  if (world.store.id !== store) throw refusal(OTHER_STORE);
  const record = await world.store.getCampaign(campaign);
  if (record?.createdAt === createdAt) return record;
  throw ApplicationFailure.nonRetryable(campaignDeleted(campaign).message, DELETED);
}

const OTHER_STORE =
  "has another store than the campaign. Start a worker with the campaign's store and service, or give this worker another task queue.";

/**
 * Says that the worker has another service than the campaign, and how a campaign ends whose service is lost. `stopRuns`
 * gives up runs only when another service answers at the campaign's address. A service that does not answer may come
 * back with its runs.
 */
function otherService(served: string, { id, service }: Campaign): string {
  const short = (url: string): string => url.replace(/\/api\/open\/.*$/, '');
  const ends = `"foray cancel ${id}" ends the campaign`;
  if (served === service)
    return `serves another model service at ${short(served)} than the campaign had there. Start a worker with the campaign's service. If the data of that service are lost, ${ends}.`;
  const { port } = new URL(service);
  const dev = port !== '' && isLoopback(service) ? ` ("foray dev --port ${port}")` : '';
  return `serves the model service at ${short(served)}, which is not the service of the campaign (${short(service)}). Start a worker with that service. If its data are lost, start a new service there${dev}; then ${ends}.`;
}

/**
 * The error that a worker throws if it has another store or model service than the campaign. Temporal retries the
 * activity, so that Temporal's Web UI shows the error and the right worker can still take the campaign.
 */
function refusal(what: string): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'WORKER_ELSEWHERE',
    message: `This worker ${what}`,
    nextRetryDelay: REFUSED_AGAIN_AFTER_MS,
  });
}
