/**
 * The exports that need no schemas: constants, values and types. resources.ts, endpoints.ts, extensions.ts and
 * health.ts have the schemas.
 */
export { type Allowed, allowedText, checkAllowed, isLimited } from './allowed-values.ts';
export * from './constants.ts';
export { booleanIn, fileIn, type FileReference, numberIn, textIn } from './outputs.ts';
export { stepCount, stepValues } from './ranges.ts';
export { byName, canonicalValue, nameKey, type RawValue, ValueError } from './values.ts';
export type * from './resources.ts';
export type {
  ListedExecutor,
  Pruned,
  PruneRequest,
  Pushed,
  PushRequest,
  VersionCode,
  VersionFile,
  VersionSummary,
} from './extensions.ts';
export type { Health } from './health.ts';
