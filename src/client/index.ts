export type { Difference } from '../campaign/change.ts';
export { Foray } from './client.ts';
export type { AnalyzeOptions } from './analysis.ts';
export type { CampaignChange, PreparedChange, RetryOptions, RetryPlan } from './changes.ts';
export type { RetryWhat } from '../workflows/messages.ts';
export type { FailureGroup, RecentRows } from './reader.ts';
export type { PlanSettings, SubmitOptions, Submitted } from './submit.ts';
export type { DefinitionSource } from '../campaign/source.ts';
export { findModel, latestVersion, type ModelAtService, modelAtService, serviceAnswers } from './models.ts';
export type { Explanation, ExplainedAsk, ExplainedRun } from './explain.ts';
export type { FileValue, OutputFiles } from './output-files.ts';
export type { Plan, PlannedStrategy } from './planned.ts';
export type { Story, StrategyProgress } from './strategies.ts';
export { cloudClient, type Settings, type TemporalSettings, type TemporalTls } from './settings.ts';
export type { SingleRun } from './single-runs.ts';
export { type CampaignStatus, isClosed } from './status.ts';
export {
  type OwnIds,
  type ReadWorker,
  readWorker,
  type WorkerFacts,
  workerIdentity,
} from './worker-identity.ts';
export type { AskedPoint, Finalist, SearchStory } from '../search/story.ts';
export type {
  CalibrationStory,
  CalibrationSummary,
  GenerationStory,
  Marginal,
  Particle,
  Posterior,
} from '../search/abc/story.ts';
export type { SelectStory, SelectSummary } from '../search/select-story.ts';
export type { BestPoint, SearchSummary } from '../search/summary.ts';
export type { Analysis, InputIndices, PairIndices, Slice, TimeIndices } from '../sensitivity/analysis.ts';
