import type { CampaignDefinition } from './campaign/definition.ts';

/** The exports of the package `foray`; docs/reference/library.md lists them. */
export {
  type Analysis,
  type AnalyzeOptions,
  type CampaignChange,
  type CampaignStatus,
  type DefinitionSource,
  type Difference,
  type Explanation,
  type FailureGroup,
  type FileValue,
  Foray,
  type InputIndices,
  isClosed,
  type OutputFiles,
  type PairIndices,
  type Plan,
  type PlanSettings,
  type RecentRows,
  type RetryOptions,
  type RetryPlan,
  type RetryWhat,
  type Settings,
  type SingleRun,
  type SubmitOptions,
  type Submitted,
  type TemporalSettings,
  type TemporalTls,
  type Slice,
  type TimeIndices,
} from './client/index.ts';
export type { ErrorCode } from './error-codes.ts';
export { ForayError, isForayError, type Place } from './errors.ts';
export {
  resultObjects,
  type ResultObject,
  type ResultsOptions,
  type ResultValue,
} from './report/formats/objects.ts';
export { settingsFromEnvironment } from './settings/settings.ts';
export { type BatchMeans, batchMeans, type BatchMeansOptions } from './statistics/batch-means.ts';
export type { CampaignDefinition };

/** Gives a definition its types, so that editors complete and check it: `export default defineCampaign({ … })`. */
export function defineCampaign(definition: CampaignDefinition): CampaignDefinition {
  return definition;
}
