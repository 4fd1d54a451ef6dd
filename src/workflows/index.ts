export { campaign } from './campaign.ts';
export type { CampaignSummary } from './closing.ts';
export type { CampaignInput } from './context.ts';
