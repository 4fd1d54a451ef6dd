import { isDeepStrictEqual } from 'node:util';
import type { Kysely, Transaction, UpdateObject } from 'kysely';
import { hasRunsPerDraw } from '../../campaign/draws.ts';
import type { Campaign, Point } from '../../campaign/types.ts';
import {
  countDropped,
  countRuns,
  type Design,
  dropOthers,
  FIRST_REVISION,
  relayDropped,
  writeDesign,
} from './write.ts';
import { addReplications, allFinishedPoints, finishedPoints } from './replications.ts';
import { locking, textOfCampaign, textOfRounds, toCampaign } from '../rows.ts';
import type { Tables } from '../tables.ts';
import { countVerdicts, forgetVerdicts, setVerdicts } from './verdicts.ts';
import { batchesById, byId, numberOf } from '../by-id.ts';
import type { CampaignRecord } from '../types.ts';

/** Designs: their points, and the number of replications and the precision of each point. */
export function designStore(db: Kysely<Tables>) {
  return {
    /**
     * Writes the points of the design, and one row per run. The seq of a run is its place in the order of requests:
     * replication 1 of every point comes first. Returns the numbers of points and runs. A second call changes nothing.
     *
     * @param replications - the number of replications of a point, or of each draw of a point with `hasRunsPerDraw`
     */
    async addPoints(
      id: string,
      points: Iterable<Point | undefined>,
      replications: number,
      hasRunsPerDraw: boolean = false,
    ): Promise<{ points: number; runs: number }> {
      const campaign = await numberOf(db, id);
      const { points: known } = await db
        .selectFrom('campaigns')
        .select('points')
        .where('number', '=', campaign)
        .executeTakeFirstOrThrow();
      const design = { campaign, revision: FIRST_REVISION, replications, hasRunsPerDraw };
      if (known !== null) return { points: known, runs: await countRuns(db, design) };

      const size = await writeDesign(db, design, points);
      await db.updateTable('campaigns').set({ points: size.points }).where('number', '=', campaign).execute();
      return size;
    },

    /**
     * Replaces a campaign by a changed one with the same id. Points that stay keep their runs. A run of a dropped point
     * stays if it has finished, or if the service may have it; otherwise it is deleted. A second call changes nothing.
     * Returns how many points were added, dropped and kept.
     *
     * @param relay - converts the values of a point into its values in the changed campaign, if they differ
     */
    async changeCampaign(
      { campaign, definition, digest }: Pick<CampaignRecord, 'campaign' | 'definition' | 'digest'>,
      points: Iterable<Point | undefined>,
      relay: ((values: string[]) => string[]) | undefined,
      now: number,
    ): Promise<{ added: number; dropped: number; kept: number }> {
      const number = await numberOf(db, campaign.id);
      const before = await db
        .selectFrom('campaigns')
        .select(['revision', 'begun', 'digest', 'points'])
        .where('number', '=', number)
        .executeTakeFirstOrThrow();
      const pointsBefore = before.points ?? 0;
      // after an interrupted change, `begun` differs from `revision`. The design is then written again
      if (before.digest === digest && before.begun === before.revision)
        return { added: 0, dropped: 0, kept: pointsBefore };
      const design = await beginDesign(db, number, campaign);
      const { points: count } = await writeDesign(db, design, points);
      const dropped = await countDropped(db, design, before.revision);
      await dropOthers(db, design, count, campaign.precision?.max ?? campaign.replications);
      // the values of points belong to the campaign's varied inputs, so both change in one transaction
      await db.transaction().execute(async (transaction) => {
        const isCurrent = await finishDesign(transaction, design, count, {
          campaign: textOfCampaign(campaign),
          rounds: textOfRounds(campaign),
          definition,
          digest,
          updated_at: now,
        });
        if (relay && isCurrent) await relayDropped(transaction, design, relay);
      });
      const kept = pointsBefore - dropped;
      return { added: count - kept, dropped, kept };
    },

    /**
     * Replaces the design of `before` by the larger design of `after`, unless the campaign no longer has the design of
     * `before`. Existing points keep their runs. A second call changes nothing.
     */
    async growDesign(
      before: Campaign,
      after: Campaign,
      points: Iterable<Point | undefined>,
      now: number,
    ): Promise<void> {
      const number = await numberOf(db, after.id);
      const design = await db
        .transaction()
        .execute(async (transaction) =>
          (await hasDesign(transaction, number, before))
            ? beginDesign(transaction, number, after)
            : undefined,
        );
      if (!design) return;
      const { points: count } = await writeDesign(db, design, points);
      await finishDesign(db, design, count, { campaign: textOfCampaign(after), updated_at: now });
    },

    /** Stores the rounds that a growing design has so far, unless the design of the campaign has changed. */
    async setRounds(campaign: Campaign, now: number): Promise<void> {
      const number = await numberOf(db, campaign.id);
      await db.transaction().execute(async (transaction) => {
        if (!(await hasDesign(transaction, number, campaign))) return;
        await transaction
          .updateTable('campaigns')
          .set({ rounds: textOfRounds(campaign), updated_at: now })
          .where('number', '=', number)
          .execute();
      });
    },

    addReplications: byId(db, addReplications),
    finishedPoints: byId(db, finishedPoints),
    allFinishedPoints: batchesById(db, allFinishedPoints),

    setVerdicts: byId(db, setVerdicts),
    forgetVerdicts: byId(db, forgetVerdicts),
    countVerdicts: byId(db, countVerdicts),
  };
}

/** Starts a changed design. The new revision distinguishes the rows of this design from the rows of other changes. */
async function beginDesign(db: Kysely<Tables>, number: number, after: Campaign): Promise<Design> {
  const { begun } = await db
    .updateTable('campaigns')
    .set((row) => ({ begun: row('begun', '+', 1) }))
    .where('number', '=', number)
    .returning('begun')
    .executeTakeFirstOrThrow();
  const { replications } = after;
  return { campaign: number, revision: begun, replications, hasRunsPerDraw: hasRunsPerDraw(after) };
}

/** Makes a written design the current design of the campaign. Returns false if a later change has replaced it. */
async function finishDesign(
  db: Kysely<Tables>,
  { campaign, revision }: Design,
  points: number,
  update: UpdateObject<Tables, 'campaigns'>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('campaigns')
    .set({ ...update, points, revision })
    .where('number', '=', campaign)
    .where('revision', '<', revision)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** Whether a campaign still has this design. Other writers wait until the transaction ends. */
async function hasDesign(
  db: Transaction<Tables>,
  number: number,
  { design }: Pick<Campaign, 'design'>,
): Promise<boolean> {
  const { campaign } = await locking(db, number).returning('campaign').executeTakeFirstOrThrow();
  return isDeepStrictEqual(toCampaign(campaign).design, design);
}
