import type { AnimationInfo, Pushed, PushRequest } from '../api/index.ts';
import type { Difference } from '../campaign/change.ts';
import { filesOf } from '../campaign/designs/index.ts';
import type { DefinitionSource } from '../campaign/source.ts';
import { closedPhases } from '../campaign/types.ts';
import { ForayError } from '../errors.ts';
import { dataConverter } from '../payload-codec.ts';
import { ServiceAtHand } from '../resolve/service-at-hand.ts';
import { type CampaignRecord, openStore, type StoredFile, type WhenMissing } from '../store/index.ts';
import { inSpan, tracing } from '../tracing.ts';
import type { RetryWhat } from '../workflows/messages.ts';
import type { CampaignChange, PreparedChange, RetryOptions, RetryPlan } from './changes.ts';
import { type ClientContext, recordOf } from './context.ts';
import type { Plan } from './planned.ts';
import { CampaignReader } from './reader.ts';
import { cloudClient, type Settings } from './settings.ts';
import { animate, requestSingleRun } from './single-runs.ts';
import { cancel, setConcurrency, steer } from './steering.ts';
import type { PlanSettings, SubmitOptions, Submitted } from './submit.ts';
import { Temporal } from './temporal/index.ts';

// These modules load the schema of definitions, which would lengthen the start of other commands by a quarter. So a
// module is loaded by the first call that needs it.
const loadSubmit = () => import('./submit.ts');
const loadChanges = () => import('./changes.ts');

/**
 * Submits, follows, changes and reads campaigns from a program. `open` opens the store. The connections to Temporal and
 * the model service open when a call first needs them.
 */
export class Foray extends CampaignReader {
  private constructor(context: ClientContext) {
    super(context);
  }

  /**
   * Opens the store. It does not connect to Temporal or the model service.
   *
   * @param whenMissing - what to do when the store does not exist yet
   * @param onSilence - called once, with the origin of the model service, when it has not answered for a few seconds
   * @throws ForayError STORE_UNUSABLE, STORE_NEWER, STORE_UNREACHABLE; STORE_MISSING with `refuse`; CODEC_UNUSABLE
   */
  static async open(
    settings: Settings,
    whenMissing: WhenMissing = 'make',
    onSilence?: (service: string) => void,
  ): Promise<Foray> {
    const converter = await dataConverter(settings.temporal.payloadCodec);
    const store = await openStore(settings.store, whenMissing);
    const cloud = cloudClient(settings, 'person', onSilence);
    const temporal = new Temporal(settings, converter);
    const service = new ServiceAtHand(cloud, settings.service.url);
    return new Foray({ settings, store, cloud, temporal, service });
  }

  /**
   * Loads the code that other methods load at their first call. A server calls this before it serves, because loading
   * holds its thread.
   */
  async load(): Promise<void> {
    await Promise.all([this.context.temporal.load(), loadSubmit(), loadChanges()]);
  }

  /** Closes the store and the connection to Temporal. Call no other method afterwards. */
  async close(): Promise<void> {
    await this.context.temporal.close();
    await this.store.close();
  }

  /**
   * Checks a whole definition and starts its campaign. If a campaign with the same id and the same definition exists,
   * returns that campaign instead.
   *
   * @throws ForayError with all mistakes in the definition and their places; CAMPAIGN_EXISTS; SERVICE_UNREACHABLE,
   *   TEMPORAL_UNREACHABLE. After an error no run has been requested. A workflow may have started if Temporal's answer
   *   to the start was lost.
   */
  async submit(source: DefinitionSource, options?: SubmitOptions): Promise<Submitted> {
    const { submit } = await loadSubmit();
    return inSpan('submit', tracing?.current() ?? 'new', {}, () => submit(this.context, source, options));
  }

  /**
   * Plans a definition: its points and runs, and how long they take. Starts and writes nothing.
   * @throws ForayError with all mistakes in the definition and their places; REQUEST_REFUSED; SERVICE_UNREACHABLE
   */
  async plan(source: DefinitionSource, options?: PlanSettings): Promise<Plan> {
    return (await loadSubmit()).plan(this.context, source, options);
  }

  /**
   * Requests one run of the newest version of a model, outside any campaign. The service may already have the result.
   *
   * @param values - values by input name; all other inputs have their defaults
   * @returns the run's id at the service, for `singleRun`
   * @throws ForayError UNKNOWN_MODEL, UNKNOWN_INPUT, INVALID_VALUE, REQUEST_REFUSED, SERVICE_UNREACHABLE
   */
  requestRun(model: string, values: Readonly<Record<string, string>> = {}): Promise<string> {
    return requestSingleRun(this.context.cloud, model, values);
  }

  /**
   * Makes a version of a model from files that `pushFile` has uploaded. The answer names the files that are missing.
   * @throws ForayError MODEL_INVALID with the place; KEY_REFUSED, REQUEST_REFUSED, SERVICE_UNREACHABLE
   */
  pushModel(request: PushRequest): Promise<Pushed> {
    return this.context.cloud.pushModel(request);
  }

  /**
   * Uploads a file of a model that is about to be pushed. Returns its SHA-256 in hexadecimal digits.
   * @throws ForayError KEY_REFUSED, SERVICE_UNREACHABLE
   */
  pushFile(content: Uint8Array): Promise<string> {
    return this.context.cloud.pushFile(content);
  }

  /**
   * Starts an animated run with the inputs of one of the campaign's runs. The service draws the animated run while the
   * run executes (docs/guides/animation.md). `bundleUrl` is the page of the animation. The campaign does not change.
   *
   * @throws ForayError UNKNOWN_CAMPAIGN, UNKNOWN_POINT; ANIMATION_REFUSED, for example when the model has no animation;
   *   TOO_MANY_ANIMATIONS, SERVICE_UNREACHABLE
   */
  animate(id: string, point: string, replication = 1): Promise<AnimationInfo> {
    return animate(this.context, id, point, replication);
  }

  /**
   * Whether the service can animate runs of a model's version; undefined if the service does not say it.
   *
   * @param versionId - the id of the version at the service
   */
  async isAnimated(versionId: string): Promise<boolean | undefined> {
    return (await this.context.cloud.getVersionCode(versionId))?.animated;
  }

  /**
   * Cancels a campaign: foray makes no new requests, stops the campaign's own runs at the service, and keeps finished
   * results. Returns when a worker has taken up the request, and executes it. If no worker answers within 10 s, this
   * method stops the runs and closes the campaign itself. This method also works after somebody terminated the workflow.
   * For a closed campaign, it gives up a change that is not made yet.
   *
   * @throws ForayError UNKNOWN_CAMPAIGN, CAMPAIGN_CLOSED, TEMPORAL_UNREACHABLE; without a worker SERVICE_UNREACHABLE,
   *   SERVICE_FAILED, KEY_REFUSED, WORKER_ELSEWHERE
   */
  cancel(id: string, reason?: string): Promise<void> {
    return cancel(this.context, id, reason);
  }

  /**
   * Whether a closed campaign has a change that no worker has made yet. {@link cancel} gives it up. False when Temporal
   * does not answer.
   * @throws ForayError UNKNOWN_CAMPAIGN
   */
  async hasOpenChange(id: string): Promise<boolean> {
    return this.context.temporal.call('hasOpenChange', await recordOf(this.context, id));
  }

  /**
   * Pauses a campaign (no new requests; requested runs go on), resumes it, or stops it (it ends after its requested
   * runs). Returns when Temporal has recorded the request.
   *
   * @throws ForayError UNKNOWN_CAMPAIGN, CAMPAIGN_CLOSED, TEMPORAL_UNREACHABLE
   */
  steer(id: string, wish: 'pause' | 'resume' | 'stop', reason?: string): Promise<void> {
    return steer(this.context, id, wish, reason);
  }

  /**
   * Deletes a closed campaign with its points, runs and results. Its runs stay at the service. Its workflow ends if it
   * still runs, and stays in Temporal until Temporal's retention period ends. The id is free at once.
   *
   * @throws ForayError UNKNOWN_CAMPAIGN, CAMPAIGN_OPEN
   */
  async delete(id: string): Promise<void> {
    const record = await recordOf(this.context, id);
    const { phase } = record;
    if (!closedPhases.includes(phase)) {
      throw new ForayError('CAMPAIGN_OPEN', `The campaign "${id}" is ${phase}.`, {
        hint: `Only closed campaigns can be deleted. "foray cancel ${id}" ends this campaign, also without a worker.`,
      });
    }
    await this.context.store.deleteCampaign(id);
    await this.context.temporal.call('endDeletedOf', record);
  }

  /** Finds the files that no campaign needs, and the free space inside the store. */
  async garbage(): Promise<UnusedFiles> {
    const { store } = this.context;
    const unneeded = unusedFiles(await store.listFiles(), await store.listCampaigns(), Date.now());
    return { ...unneeded, spareBytes: await store.spareBytes() };
  }

  /** Deletes unused files and frees disk space. A file stays if somebody stored it again after `garbage` found it. */
  async collect({ files }: Pick<UnusedFiles, 'files'>): Promise<void> {
    const { store } = this.context;
    for (const file of files) await store.deleteFile(file);
    await store.compact();
  }

  /**
   * Sets how many requested runs a campaign may have at once. Returns when a worker has applied the number.
   * @throws ForayError UNKNOWN_CAMPAIGN, CAMPAIGN_CLOSED, INVALID_VALUE, TEMPORAL_UNREACHABLE, WORKER_SILENT
   */
  setConcurrency(id: string, concurrency: number | 'auto'): Promise<void> {
    return setConcurrency(this.context, id, concurrency);
  }

  /** Plans a retry. Changes nothing. @throws ForayError the same errors as `retry` */
  async planRetry(id: string, what?: RetryWhat, options?: RetryOptions): Promise<RetryPlan> {
    return (await loadChanges()).planRetry(this.context, id, what, options);
  }

  /**
   * Requests failed runs again, or runs that a closed campaign never requested, or both. `what` selects these runs, and
   * can also be one cause of failure from `failures`. A closed campaign runs again under its id, and finished results
   * stay. With another version of the model, all new requests use that version. Runs that are done or requested keep
   * their version.
   *
   * @throws ForayError UNKNOWN_CAMPAIGN, UNKNOWN_CAUSE, CAMPAIGN_CLOSED while the campaign is ending,
   *   TEMPORAL_UNREACHABLE, WORKER_SILENT; CHANGE_PENDING after `withinMs`; VERSION_RETIRED, UNKNOWN_MODEL and
   *   CHANGE_REFUSED when the version cannot be used. After an error nothing has changed, unless Temporal's answer was
   *   lost: then the campaign may have changed.
   */
  async retry(id: string, what?: RetryWhat, options?: RetryOptions): Promise<CampaignChange> {
    return (await loadChanges()).retry(this.context, id, what, options);
  }

  /**
   * Shows how a definition would change a campaign. Changes nothing.
   * @throws ForayError with all mistakes in the definition and their places; CHANGE_REFUSED; UNKNOWN_CAMPAIGN
   */
  async compare(id: string, source: DefinitionSource): Promise<Difference> {
    return (await loadChanges()).compare(this.context, id, source);
  }

  /**
   * Changes a campaign to a definition: adds or drops points, raises or lowers replications, changes settings. The id
   * and all results stay. A closed campaign runs again. The notes of the campaign keep the reason.
   *
   * @throws ForayError the same errors as `compare`; CAMPAIGN_CLOSED while the campaign is ending, TEMPORAL_UNREACHABLE,
   *   WORKER_SILENT
   */
  async apply(id: string, source: DefinitionSource, reason?: string): Promise<CampaignChange> {
    return this.sendChange(id, await this.prepareChange(id, source, reason));
  }

  /** The part of `apply` that computes. @throws ForayError the same errors as `compare` */
  async prepareChange(id: string, source: DefinitionSource, reason?: string): Promise<PreparedChange> {
    return (await loadChanges()).prepareChange(this.context, id, source, reason);
  }

  /**
   * The part of `apply` that waits for a worker.
   * @param withinMs - how long to wait for a worker that has taken up the change; undefined for as long as it takes
   * @throws ForayError the other errors of `apply`; CHANGE_PENDING
   */
  async sendChange(id: string, change: PreparedChange, withinMs?: number): Promise<CampaignChange> {
    return (await loadChanges()).sendChange(this.context, id, change, withinMs);
  }
}

/** Files that `foray gc` can delete. */
export interface UnusedFiles {
  files: StoredFile[];
  /** Unused files that are too new to delete, because a campaign that is being submitted may need them. */
  young: StoredFile[];
  /** Free space inside the database, bytes. */
  spareBytes: number;
}

/** A file is stored before the campaign that names it, so a new file is kept for this time, ms. */
const YOUNG_MS = 3_600_000;

/**
 * Finds the files that no campaign needs, neither for its definition nor as an output. Files that are too new to delete
 * are listed separately.
 */
export function unusedFiles(
  files: readonly StoredFile[],
  campaigns: readonly CampaignRecord[],
  now: number,
): Pick<UnusedFiles, 'files' | 'young'> {
  const needed = new Set(
    campaigns.flatMap(({ campaign }) =>
      [...campaign.files, ...(campaign.variedFiles ?? []), ...filesOf(campaign.design)].map(
        ({ hash }) => hash,
      ),
    ),
  );
  const unneeded = files.filter(({ hash, isKept }) => !isKept && !needed.has(hash));
  const isYoung = ({ putAt }: StoredFile): boolean => putAt >= now - YOUNG_MS;
  return { files: unneeded.filter((file) => !isYoung(file)), young: unneeded.filter(isYoung) };
}
