export { openStore, shownAddress, stateOfStore, type WhenMissing } from './open.ts';
export { campaignDeleted } from './deleted.ts';
export type * from './store.ts';
export { tellLost } from './tell-lost.ts';
