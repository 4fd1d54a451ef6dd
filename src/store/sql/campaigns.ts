import type { Kysely } from 'kysely';
import { closedPhases } from '../../campaign/types.ts';
import { deleteCampaign } from '../delete-campaign.ts';
import { ALL_DELETED } from '../deleted.ts';
import type { CampaignRecord, CampaignStore } from '../roles/campaigns.ts';
import { textOfCampaign, toCampaign, toRecord } from '../rows.ts';
import type { Tables } from '../tables.ts';
import { byId } from './campaign.ts';

/** The maximum number of definitions that are cached in memory. */
const DEFINITIONS = 8;

export function campaignStore(db: Kysely<Tables>): CampaignStore {
  /** Definitions by the number and revision of their campaigns. A definition changes only with the revision. */
  const definitions = new Map<string, Pick<CampaignRecord, 'campaign' | 'definition'>>();

  return {
    async addCampaign({ campaign, definition, digest, owner = null }, now) {
      const added = await db
        .insertInto('campaigns')
        .values({
          id: campaign.id,
          campaign: textOfCampaign(campaign),
          service_id: campaign.serviceId ?? null,
          versions: null,
          rounds: null,
          owner,
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

    async getCampaign(id) {
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

    async listCampaigns() {
      const rows = await db
        .selectFrom('campaigns')
        .selectAll()
        .where('id', 'not like', ALL_DELETED)
        .orderBy('number', 'desc')
        .execute();
      return rows.map((row) => toRecord(row, { ...row, campaign: toCampaign(row.campaign) }));
    },

    async setPhase(id, phase, now, note) {
      await db
        .updateTable('campaigns')
        .set({ phase, updated_at: now, ...(note !== undefined && { note }) })
        // an activity that Temporal has given up may still call this; a stopping campaign must not become running or
        // paused again, and a closed campaign must not become stopping
        .$if(phase === 'running' || phase === 'paused', (update) =>
          update.where('phase', 'in', ['preparing', 'running', 'paused']),
        )
        .$if(phase === 'stopping', (update) => update.where('phase', 'not in', [...closedPhases]))
        .where('id', '=', id)
        .execute();
    },

    async setVersions(id, versions, now) {
      await db
        .updateTable('campaigns')
        .set({ versions: JSON.stringify(versions), updated_at: now })
        .where('id', '=', id)
        .execute();
    },

    async removeCampaign(id) {
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
  };
}
