export type { Difference } from '../campaign/change.ts';
export {
  type CampaignChange,
  type FailureGroup,
  Foray,
  type PlanSettings,
  type RecentRows,
  type RetryOptions,
  type RetryPlan,
  type SubmitOptions,
  type Submitted,
} from './client.ts';
export type { DefinitionSource } from '../resolve/index.ts';
export { whyUnreadable } from './unreadable.ts';
export type { Explanation, ExplainedRun } from './explain.ts';
export type { FileValue, OutputFiles } from './output-files.ts';
export type { Plan } from './plan.ts';
export { cloudClient, type Settings, type TemporalSettings, type TemporalTls } from './settings.ts';
export { type CampaignStatus, isClosed } from './status.ts';
export type { BestPoint, SearchSummary } from '../search/summary.ts';
