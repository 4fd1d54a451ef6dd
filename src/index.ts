import type { CampaignDefinition } from './campaign/definition.ts';

/** What a program may import from `foray`. */
export {
  type CampaignChange,
  type CampaignStatus,
  type DefinitionSource,
  type Difference,
  type FileValue,
  Foray,
  isClosed,
  type OutputFiles,
  type RetryOptions,
  type RetryPlan,
  type Settings,
  type Submitted,
} from './client/index.ts';
export { settingsFromEnvironment } from './cli/settings.ts';
export { type ErrorCode, ForayError, isForayError, type Place } from './errors.ts';
export { resultObjects, type ResultObject, type ResultsOptions, type ResultValue } from './report/objects.ts';
export { type BatchMeans, batchMeans, type BatchMeansOptions } from './statistics/batch-means.ts';
export type { CampaignDefinition };

/** Gives a definition its types, so that an editor completes and checks it: `export default defineCampaign({ … })`. */
export function defineCampaign(definition: CampaignDefinition): CampaignDefinition {
  return definition;
}
