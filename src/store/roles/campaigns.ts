import type { Campaign, ModelVersion, Phase } from '../../campaign/types.ts';

/** A stored campaign. Times are ms since the epoch. */
export interface CampaignRecord {
  campaign: Campaign;
  /** The text of the definition as it was submitted. */
  definition: string;
  /** Hash of the definition's meaning. It tells whether a second submit is of the same definition. */
  digest: string;
  phase: Phase;
  points: number;
  createdAt: number;
  /** When the phase or a run last changed. */
  updatedAt: number;
  /** A remark on how the campaign ended; empty mostly. */
  note: string;
  /** Who has submitted it; null of campaigns of earlier versions. */
  owner: string | null;
}

/** Campaigns: their definitions and phases. */
export interface CampaignStore {
  /** Adds a campaign; false when the id is taken (nothing is changed then). */
  addCampaign(
    record: Pick<CampaignRecord, 'campaign' | 'definition' | 'digest'> & { owner?: string | undefined },
    now: number,
  ): Promise<boolean>;
  getCampaign(id: string): Promise<CampaignRecord | undefined>;
  /** Newest first. */
  listCampaigns(): Promise<CampaignRecord[]>;
  /** Sets the phase, and the note where one is given. */
  setPhase(id: string, phase: Phase, now: number, note?: string): Promise<void>;
  /** Sets the versions of the model that runs are requested with. The last one counts from now on. */
  setVersions(id: string, versions: readonly ModelVersion[], now: number): Promise<void>;
  /** Sets the model service that a campaign belongs to. */
  setService(id: string, serviceId: string): Promise<void>;
  /** Removes a campaign that never started, so that its id is free again. */
  removeCampaign(id: string): Promise<void>;
  /** Deletes a campaign with its points, runs and results, in many small steps. An interrupted deletion can be repeated. */
  deleteCampaign(id: string): Promise<void>;
}
