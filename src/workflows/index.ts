export { campaign, type CampaignSummary } from './campaign.ts';
export type { CampaignInput } from './context.ts';
