export { Foray, type Submitted } from './client.ts';
export { type DefinitionSource, whyUnreadable } from './check.ts';
export { cloudClient, type Settings } from './settings.ts';
export { type CampaignStatus, isClosed } from './status.ts';
