export { openStore } from './open.ts';
export type * from './store.ts';
