import type { Kysely } from 'kysely';
import { closedPhases, type ModelVersion, type Phase } from '../../campaign/types.ts';
import { byId } from '../by-id.ts';
import { ALL_DELETED } from '../deleted.ts';
import { textOfCampaign, toCampaign, toRecord } from '../rows.ts';
import type { Tables } from '../tables.ts';
import type { CampaignRecord } from '../types.ts';
import { deleteCampaign } from './delete.ts';
import { keepPictures, keptPictures } from './pictures.ts';

/** The maximum number of definitions that are cached in memory. */
const DEFINITIONS = 8;

/** Campaigns: their definitions, phases, versions and pictures. */
export function campaignStore(db: Kysely<Tables>) {
  /** Definitions by the number and revision of their campaigns. A definition changes only with the revision. */
  const definitions = new Map<string, Pick<CampaignRecord, 'campaign' | 'definition'>>();

  return {
    /** Adds a campaign. Returns false, and changes nothing, if the id is taken. */
    async addCampaign(
      {
        campaign,
        definition,
        digest,
        owner,
      }: Pick<CampaignRecord, 'campaign' | 'definition' | 'digest'> & { owner?: string | undefined },
      now: number,
    ): Promise<boolean> {
      const added = await db
        .insertInto('campaigns')
        .values({
          id: campaign.id,
          campaign: textOfCampaign(campaign),
          service_id: campaign.serviceId ?? null,
          versions: null,
          rounds: null,
          owner: owner ?? null,
          definition,
          digest,
          phase: 'preparing',
          points: null,
          note: '',
          created_at: now,
          updated_at: now,
        })
        .onConflict((conflict) => conflict.column('id').doNothing())
        .returning('number')
        .executeTakeFirst();
      return added !== undefined;
    },

    async getCampaign(id: string): Promise<CampaignRecord | undefined> {
      const head = await db
        .selectFrom('campaigns')
        .select(['number', 'revision', 'phase', 'points', 'digest', 'note', 'created_at', 'updated_at'])
        .select(['service_id', 'versions', 'rounds', 'owner'])
        .where('id', '=', id)
        .executeTakeFirst();
      if (!head) return undefined;
      // every activity needs the definition, and reading a large definition takes long
      const key = `${head.number}/${head.revision}`;
      let written = definitions.get(key);
      if (!written) {
        const row = await db
          .selectFrom('campaigns')
          .select(['campaign', 'definition'])
          .where('number', '=', head.number)
          .executeTakeFirstOrThrow();
        written = { campaign: toCampaign(row.campaign), definition: row.definition };
        if (definitions.size === DEFINITIONS) definitions.delete(definitions.keys().next().value!);
        definitions.set(key, written);
      }
      return toRecord(head, written);
    },

    /** All campaigns, the newest first. */
    async listCampaigns(): Promise<CampaignRecord[]> {
      const rows = await db
        .selectFrom('campaigns')
        .selectAll()
        .where('id', 'not like', ALL_DELETED)
        .orderBy('number', 'desc')
        .execute();
      return rows.map((row) => toRecord(row, { ...row, campaign: toCampaign(row.campaign) }));
    },

    /**
     * Sets the phase, and the note if it is given. An activity that Temporal has given up may still call this. So the
     * phases `running` and `paused` do not change a stopping or closed campaign, and `stopping` does not change a closed
     * one.
     */
    async setPhase(id: string, phase: Phase, now: number, note?: string): Promise<void> {
      await db
        .updateTable('campaigns')
        .set({ phase, updated_at: now, ...(note !== undefined && { note }) })
        .$if(phase === 'running' || phase === 'paused', (update) =>
          update.where('phase', 'in', ['preparing', 'running', 'paused']),
        )
        .$if(phase === 'stopping', (update) => update.where('phase', 'not in', [...closedPhases]))
        .where('id', '=', id)
        .execute();
    },

    /** Sets the phase of a campaign whose points are there. A phase that was requested meanwhile stays. */
    async setPrepared(id: string, now: number): Promise<void> {
      await db
        .updateTable('campaigns')
        .set({ phase: 'running', updated_at: now })
        .where('id', '=', id)
        .where('phase', '=', 'preparing')
        .execute();
    },

    /** Sets the versions of the model that runs are requested with. New requests use the last version. */
    async setVersions(id: string, versions: readonly ModelVersion[], now: number): Promise<void> {
      await db
        .updateTable('campaigns')
        .set({ versions: JSON.stringify(versions), updated_at: now })
        .where('id', '=', id)
        .execute();
    },

    /** Removes a campaign that never started, so that its id is free again. */
    async removeCampaign(id: string): Promise<void> {
      await db
        .deleteFrom('campaigns')
        .where('id', '=', id)
        .where('points', 'is', null)
        // if a worker has begun to expand the design, the campaign has points
        .where((campaign) =>
          campaign.not(
            campaign.exists(
              campaign
                .selectFrom('points')
                .select('ordinal')
                .whereRef('points.campaign', '=', 'campaigns.number'),
            ),
          ),
        )
        .execute();
    },

    deleteCampaign: byId(db, deleteCampaign),
    keepPictures: byId(db, keepPictures),
    keptPictures: byId(db, keptPictures),
  };
}
