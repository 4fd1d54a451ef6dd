import { isDeepStrictEqual } from 'node:util';
import type { Kysely, Transaction, UpdateObject } from 'kysely';
import { hasRunsPerDraw } from '../../campaign/draws.ts';
import type { Campaign } from '../../campaign/types.ts';
import {
  countDropped,
  countRuns,
  type Design,
  dropOthers,
  FIRST,
  relayDropped,
  writeDesign,
} from '../design.ts';
import { addReplications, allFinishedPoints, finishedPoints } from '../replications.ts';
import type { DesignStore } from '../roles/design.ts';
import { textOfCampaign, textOfRounds, toCampaign } from '../rows.ts';
import type { Tables } from '../tables.ts';
import { countVerdicts, forgetVerdicts, setVerdicts } from '../verdicts.ts';
import { batchesById, byId, numberOf } from './campaign.ts';

export function designStore(db: Kysely<Tables>): DesignStore {
  return {
    async addPoints(id, points, replications, hasRunsPerDraw = false) {
      const campaign = await numberOf(db, id);
      const known = await db
        .selectFrom('campaigns')
        .select('points')
        .where('number', '=', campaign)
        .executeTakeFirstOrThrow();
      const design = { campaign, revision: FIRST, replications, hasRunsPerDraw };
      if (known.points !== null) return { points: known.points, runs: await countRuns(db, design) };

      const size = await writeDesign(db, design, points);
      await db.updateTable('campaigns').set({ points: size.points }).where('number', '=', campaign).execute();
      return size;
    },

    async changeCampaign({ campaign, definition, digest }, points, relay, now) {
      const number = await numberOf(db, campaign.id);
      const before = await db
        .selectFrom('campaigns')
        .select(['revision', 'begun', 'digest', 'points'])
        .where('number', '=', number)
        .executeTakeFirstOrThrow();
      const known = before.points ?? 0;
      // after an interrupted change, `begun` differs from `revision`. The design is then written again
      if (before.digest === digest && before.begun === before.revision)
        return { added: 0, dropped: 0, kept: known };
      const design = await begin(db, number, campaign);
      const { points: count } = await writeDesign(db, design, points);
      const dropped = await countDropped(db, design, before.revision);
      await dropOthers(db, design, count, campaign.precision?.max ?? campaign.replications);
      // the values of points belong to the campaign's varied inputs, so both change in one transaction
      await db.transaction().execute(async (transaction) => {
        const isDone = await finish(transaction, design, count, {
          campaign: textOfCampaign(campaign),
          rounds: textOfRounds(campaign),
          definition,
          digest,
          updated_at: now,
        });
        if (relay && isDone) await relayDropped(transaction, design, relay);
      });
      const kept = known - dropped;
      return { added: count - kept, dropped, kept };
    },

    async growDesign(before, after, points, now) {
      const number = await numberOf(db, after.id);
      const design = await db
        .transaction()
        .execute(async (transaction) =>
          (await hasDesign(transaction, number, before)) ? begin(transaction, number, after) : undefined,
        );
      if (!design) return;
      const { points: count } = await writeDesign(db, design, points);
      await finish(db, design, count, { campaign: textOfCampaign(after), updated_at: now });
    },

    async setRounds(campaign, now) {
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
async function begin(db: Kysely<Tables>, number: number, after: Campaign): Promise<Design> {
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
async function finish(
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
  const { campaign } = await db
    .updateTable('campaigns')
    .set((row) => ({ seqs: row.ref('seqs') }))
    .where('number', '=', number)
    .returning('campaign')
    .executeTakeFirstOrThrow();
  return isDeepStrictEqual(toCampaign(campaign).design, design);
}
