import type { Kysely } from 'kysely';
import { comparedPoints, readPoints } from '../design/replications.ts';
import { asksOfPoints, changeSearch, readSearch, searchLength, writeSearch } from './log.ts';
import type { Tables } from '../tables.ts';
import { byId, numberOf } from '../by-id.ts';
import type { CampaignRecord } from '../types.ts';
import type { SearchEvent, SearchLength } from '../../campaign/search/log.ts';

export function searchStore(db: Kysely<Tables>) {
  return {
    searchLog: byId(db, readSearch),
    searchLength: byId(db, searchLength),
    asksOfPoints: byId(db, asksOfPoints),
    writeSearch: byId(db, writeSearch),
    changeSearch: async (
      record: Pick<CampaignRecord, 'campaign' | 'definition' | 'digest'>,
      change: { length: SearchLength; event: SearchEvent },
      now: number,
    ) => changeSearch(db, await numberOf(db, record.campaign.id), record, change, now),
    comparedPoints: byId(db, comparedPoints),
    finishedAt: byId(db, readPoints),
  };
}
