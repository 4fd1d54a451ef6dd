import type { Kysely } from 'kysely';
import { countDropped, dropOthers, FIRST, relayDropped, writeDesign } from '../design.ts';
import { addReplications, allFinishedPoints, finishedPoints } from '../replications.ts';
import type { DesignStore } from '../roles/design.ts';
import { textOfCampaign } from '../rows.ts';
import type { Tables } from '../tables.ts';
import { countVerdicts, forgetVerdicts, setVerdicts } from '../verdicts.ts';
import { batchesById, byId, numberOf } from './campaign.ts';

export function designStore(db: Kysely<Tables>): DesignStore {
  return {
    async addPoints(id, points, replications) {
      const campaign = await numberOf(db, id);
      const known = await db
        .selectFrom('campaigns')
        .select('points')
        .where('number', '=', campaign)
        .executeTakeFirstOrThrow();
      if (known.points !== null) return { points: known.points, runs: known.points * replications };

      const count = await writeDesign(db, { campaign, revision: FIRST, replications }, points);
      await db.updateTable('campaigns').set({ points: count }).where('number', '=', campaign).execute();
      return { points: count, runs: count * replications };
    },

    async changeCampaign({ campaign, definition, digest }, points, relay, now) {
      const number = await numberOf(db, campaign.id);
      const before = await db
        .selectFrom('campaigns')
        .select(['revision', 'begun', 'digest', 'points'])
        .where('number', '=', number)
        .executeTakeFirstOrThrow();
      const known = before.points ?? 0;
      // an interrupted change may have left rows: the number of this change tells its own rows from those
      if (before.digest === digest && before.begun === before.revision)
        return { added: 0, dropped: 0, kept: known };
      const { begun } = await db
        .updateTable('campaigns')
        .set((row) => ({ begun: row('begun', '+', 1) }))
        .where('number', '=', number)
        .returning('begun')
        .executeTakeFirstOrThrow();
      const design = { campaign: number, revision: begun, replications: campaign.replications };
      const count = await writeDesign(db, design, points);
      const dropped = await countDropped(db, design, before.revision);
      await dropOthers(db, design, count, campaign.precision?.max ?? campaign.replications);
      // a point's values belong to the campaign's varied inputs: both change in one transaction
      await db.transaction().execute(async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('campaigns')
          .set({
            campaign: textOfCampaign(campaign),
            definition,
            digest,
            points: count,
            revision: design.revision,
            updated_at: now,
          })
          .where('number', '=', number)
          .where('revision', '<', design.revision)
          .executeTakeFirstOrThrow();
        if (relay && numUpdatedRows > 0n) await relayDropped(transaction, design, relay);
      });
      const kept = known - dropped;
      return { added: count - kept, dropped, kept };
    },

    addReplications: byId(db, addReplications),
    finishedPoints: byId(db, finishedPoints),
    allFinishedPoints: batchesById(db, allFinishedPoints),

    setVerdicts: byId(db, setVerdicts),
    forgetVerdicts: byId(db, forgetVerdicts),
    countVerdicts: byId(db, countVerdicts),
  };
}
