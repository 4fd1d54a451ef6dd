import { activityInfo, cancellationSignal, heartbeat } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Phase, RunCounts } from '../campaign/types.ts';
import { ServiceAtHand } from '../resolve/index.ts';
import type { CampaignRecord } from '../store/index.ts';
import { advance } from './advance.ts';
import { change } from './change.ts';
import { failureOf } from './failure.ts';
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

export type {
  AdvanceResult,
  CampaignAddress,
  ChangeAnswer,
  ChangeRequest,
  DefinitionMessage,
  KnownFiles,
  RetryWhat,
} from './types.ts';

/** A killed worker is noticed when it has been silent for this long; heartbeats are sent five times as often. */
export const HEARTBEAT_TIMEOUT_MS = 5_000;
const REFUSED_AGAIN_AFTER_MS = 10_000;

/** The activities: all that a campaign's workflow may do to the world. */
export function createActivities(world: World) {
  const service = new ServiceAtHand(world.cloud, world.service);
  const courses = new Courses();

  /** Runs one activity: checks that the campaign lives here, heartbeats on a clock, and types what goes wrong. */
  async function act<T>(
    address: CampaignAddress,
    work: (record: CampaignRecord, signal: AbortSignal) => Promise<T>,
    needs: 'service' | 'service or its address' | 'store' = 'store',
  ): Promise<T> {
    const beat = setInterval(() => heartbeat(), HEARTBEAT_TIMEOUT_MS / 5);
    try {
      const record = await here(world, address);
      const isAtAddress = needs === 'service or its address' && service.isAt(record.campaign);
      if (needs !== 'store' && !isAtAddress && !(await service.has(record.campaign, world.store)))
        throw refusal(`serves the model service at ${world.service}, which is not the campaign's`);
      return await work(record, cancellationSignal());
    } catch (error) {
      throw failureOf(error, activityInfo().attempt);
    } finally {
      clearInterval(beat);
    }
  }

  return {
    /** Uploads the campaign's files to the service where it does not have them, and expands the design. */
    prepare: (address: CampaignAddress): Promise<Prepared> =>
      act(address, (record, signal) => prepare(world, record, signal), 'service'),

    /** Carries out the decision of one tick, or a part of it: requests runs, polls runs, stores what has finished. */
    advance: (input: AdvanceInput): Promise<AdvanceResult> =>
      act(input, (record, signal) => advance(world, record, input, signal), 'service'),

    /**
     * Goes on with the search of a campaign: tells its method what has finished, and adds the points that it asks for. With the selection of
     * one: adds the replications that it asks for.
     */
    propose: (address: CampaignAddress): Promise<Proposed> =>
      act(address, ({ campaign }, signal) =>
        campaign.select
          ? select(world.store, campaign, signal)
          : propose({ store: world.store, courses }, campaign, signal),
      ),

    /** Seqs of runs that wait to be requested, after one of them: a page in the order of work. */
    waitingRuns: (
      input: CampaignAddress & { after: number; limit: number; failedOnly: boolean },
    ): Promise<number[]> =>
      act(input, () => world.store.waitingRuns(input.campaign, input.after, input.limit, input.failedOnly)),

    /** Changes the campaign in the store: runs to be had again, or a changed definition. `goesOn`: it is opened again. */
    change: (input: CampaignAddress & { request: ChangeRequest; goesOn: boolean }): Promise<ChangeAnswer> =>
      act(input, (record, signal) => change(world, record, input, signal), 'service'),

    /**
     * Stops the campaign's own runs at the service, unless another campaign waits for them. Where a new service is at the
     * campaign's address, the old one is gone with its runs, and the campaign can end.
     */
    stopRuns: (address: CampaignAddress): Promise<{ stopped: number; kept: number }> =>
      act(address, (record, signal) => stopOpenRuns(world, record, signal), 'service or its address'),

    /** Tells the store that the campaign runs, is paused or is stopping: by that it lets requests through or not. */
    enterPhase: (input: CampaignAddress & { phase: 'running' | 'paused' | 'stopping' }): Promise<void> =>
      act(input, () => world.store.setPhase(input.campaign, input.phase, Date.now())),

    /** Writes the campaign's last phase, so that it can be read without a worker; the final counts come back. */
    close: (input: CampaignAddress & { phase: Phase; note: string }): Promise<RunCounts> =>
      act(input, async () => {
        await world.store.setPhase(input.campaign, input.phase, Date.now(), input.note);
        return world.store.counts(input.campaign);
      }),
  };
}

export type Activities = ReturnType<typeof createActivities>;

/** The campaign's record, when it is in this worker's store. */
async function here(world: World, { campaign, store }: CampaignAddress): Promise<CampaignRecord> {
  if (world.store.id !== store) throw refusal('has another store than the campaign');
  const record = await world.store.getCampaign(campaign);
  if (!record) throw refusal(`has no campaign ${campaign} in its store`);
  return record;
}

/**
 * A failure of a worker that is not the campaign's. It is retried, so that it stays visible in the Web UI and the right worker
 * can still take the campaign.
 */
function refusal(what: string): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'WORKER_ELSEWHERE',
    message: `This worker ${what}; start one with the campaign's store and service, or give this one another task queue.`,
    nextRetryDelay: REFUSED_AGAIN_AFTER_MS,
  });
}
