export { campaign } from './campaign.ts';
export { notice } from './notice.ts';
export type { CampaignSummary } from './closing.ts';
export type { CampaignInput } from './context.ts';
