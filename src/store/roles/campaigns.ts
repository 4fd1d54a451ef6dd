import type { Campaign, ModelVersion, Phase } from '../../campaign/types.ts';

/** A stored campaign. Times are ms since the epoch. */
export interface CampaignRecord {
  campaign: Campaign;
  /** The text of the definition as it was last submitted or applied. */
  definition: string;
  /** The hash of the definition's meaning. With it, foray detects that the same definition is submitted again. */
  digest: string;
  phase: Phase;
  points: number;
  createdAt: number;
  /** The time of the last recorded change, such as a new phase or a new state of a run. */
  updatedAt: number;
  /** A remark about the end of the campaign; usually empty. */
  note: string;
  /** The owner who submitted the campaign; null if unknown. */
  owner: string | null;
}

/** Campaigns: their definitions and phases. */
export interface CampaignStore {
  /** Adds a campaign. Returns false, and changes nothing, if the id is taken. */
  addCampaign(
    record: Pick<CampaignRecord, 'campaign' | 'definition' | 'digest'> & { owner?: string | undefined },
    now: number,
  ): Promise<boolean>;
  getCampaign(id: string): Promise<CampaignRecord | undefined>;
  /** All campaigns, the newest first. */
  listCampaigns(): Promise<CampaignRecord[]>;
  /**
   * Sets the phase, and the note if it is given. The phases `running` and `paused` do not change a stopping or
   * closed campaign, and `stopping` does not change a closed one.
   */
  setPhase(id: string, phase: Phase, now: number, note?: string): Promise<void>;
  /** Sets the versions of the model that runs are requested with. New requests use the last version. */
  setVersions(id: string, versions: readonly ModelVersion[], now: number): Promise<void>;
  /** Removes a campaign that never started, so that its id is free again. */
  removeCampaign(id: string): Promise<void>;
  /**
   * Deletes a campaign with its points, runs and results, in many small steps. Nobody sees the campaign from the first
   * step on, and whoever reads it gets UNKNOWN_CAMPAIGN. The next deletion, or `compact`, completes one that was
   * interrupted.
   */
  deleteCampaign(id: string): Promise<void>;
}
