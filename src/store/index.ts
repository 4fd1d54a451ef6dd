export { openStore, shownAddress, type WhenMissing } from './open.ts';
export type * from './store.ts';
