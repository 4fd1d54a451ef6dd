export { campaign, type CampaignInput, type CampaignSummary } from './campaign.ts';
