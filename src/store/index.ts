export { saidOfStore } from './said-of-store.ts';
export {
  checkWritable,
  fileOfStore,
  openStore,
  shownAddress,
  stateOfStore,
  type WhenMissing,
} from './open.ts';
export { campaignDeleted } from './deleted.ts';
export { MOST_KEYS } from './runs/find-points.ts';
export type { Store } from './store.ts';
export type * from './types.ts';
export { tellLost } from './tell-lost.ts';
