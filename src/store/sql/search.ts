import type { Kysely } from 'kysely';
import { comparedPoints, readPoints } from '../replications.ts';
import type { SearchStore } from '../roles/search.ts';
import { asksOfPoints, changeSearch, readSearch, searchLength, writeSearch } from '../search.ts';
import type { Tables } from '../tables.ts';
import { numberOf } from './campaign.ts';

export function searchStore(db: Kysely<Tables>): SearchStore {
  return {
    searchLog: async (id) => readSearch(db, await numberOf(db, id)),
    searchLength: async (id) => searchLength(db, await numberOf(db, id)),
    asksOfPoints: async (id) => asksOfPoints(db, await numberOf(db, id)),
    writeSearch: async (id, length, step) => writeSearch(db, await numberOf(db, id), length, step),
    changeSearch: async (record, change, now) =>
      changeSearch(db, await numberOf(db, record.campaign.id), record, change, now),
    comparedPoints: async (id) => comparedPoints(db, await numberOf(db, id)),
    finishedAt: async (id, ordinals) => readPoints(db, await numberOf(db, id), ordinals),
  };
}
