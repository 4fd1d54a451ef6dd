import { hash } from 'node:crypto';
import { replicatedPoints } from '../campaign/draws.ts';
import { Notify } from '../campaign/definition.ts';
import { freshened } from '../campaign/seeds.ts';
import { closedPhases } from '../campaign/types.ts';
import { ForayError } from '../errors.ts';
import { type DefinitionSource, textOf } from '../campaign/source.ts';
import { checkCampaign, type CheckedCampaign } from './check.ts';
import { type ClientContext, recordOf } from './context.ts';
import { knownRate, rateOf } from './run-rate.ts';
import type { PlanOptions } from './plan.ts';
import type { Plan } from './planned.ts';
import { planOf } from './strategies.ts';

/** A campaign that was submitted. */
export interface Submitted {
  id: string;
  workflowId: string;
  /**
   * The id of the first execution of the workflow. For a campaign that existed before, the id of the last execution;
   * empty if Temporal no longer has the workflow.
   */
  runId: string;
  /** The campaign's page in Temporal's Web UI. */
  url: string;
  /** False when the same definition had been submitted under this id before. */
  isNew: boolean;
  points: number;
  runs: number;
  /** A warning for the user; empty if there is no warning. */
  warning: string;
}

/** How a definition is submitted. */
export interface SubmitOptions {
  /** @default the definition's name and a short suffix */
  id?: string | undefined;
  /**
   * A text that determines the id when `id` is missing. A repeated call with the same definition and the same text then
   * gives the same campaign.
   */
  token?: string | undefined;
  /** Who submits the definition. @default the owner of the settings */
  owner?: string | undefined;
  /** Gets a quick plan of the definition before anything is started. If this function throws, nothing is started. */
  announce?: ((plan: Plan) => void) | undefined;
}

/** How a definition is planned. */
export interface PlanSettings extends Pick<PlanOptions, 'onAsked'> {
  /** Whether the plan asks the service about every run. By default, a plan of over 10,000 runs asks about a sample. */
  all?: boolean | undefined;
  /** How long one run takes, s. @default the rate of an earlier campaign with the same version of the model */
  runSeconds?: number | undefined;
}

/** A plan with more runs than this asks the service only about a sample. */
const MOST_ASKED = 10_000;
/** The number of runs in the sample of a larger plan. */
const SAMPLE = 2_000;
/** The quick plan for `announce` asks the service about at most this many runs. */
const ANNOUNCE_RUNS = 200;
/** The quick plan uses the answers that came within this time, ms. */
const ANNOUNCE_MS = 2_000;

const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$/;

export async function submit(
  client: ClientContext,
  source: DefinitionSource,
  { id: wanted, token, owner = client.settings.owner, announce }: SubmitOptions = {},
): Promise<Submitted> {
  if (wanted !== undefined && !ID.test(wanted)) {
    throw new ForayError('USAGE', `The id "${wanted}" is not usable.`, {
      hint: 'Use letters, digits, "-", "_" and ".", at most 120 of them.',
    });
  }
  const checked = await checkCampaign(client.cloud, source);
  await checkStart(client, checked.campaign);
  const { points, contents, digest } = checked;
  const { name, replications, notify = usualNotices(client.settings) } = checked.campaign;
  const runs = replications * replicatedPoints(checked.campaign, points);
  if (announce) {
    const signal = AbortSignal.timeout(ANNOUNCE_MS);
    announce(await planOfChecked(client, checked, { ask: ANNOUNCE_RUNS, signal }, undefined));
  }
  await client.temporal.reach();
  const suffix = token === undefined ? crypto.randomUUID().slice(0, 6) : hash('sha256', token).slice(0, 12);
  const id = wanted ?? `${name}-${suffix}`;
  const { url: service } = client.service;
  const serviceId = await client.service.identity();
  const campaign = freshened({ ...checked.campaign, id, service, serviceId, notify }, Math.random);
  for (const [hash, content] of contents) await client.store.putFile(hash, content, Date.now());
  const definition = textOf(source);
  const isNew = await client.store.addCampaign({ campaign, definition, digest, owner }, Date.now());
  const record = await recordOf(client, id);
  if (record.digest !== digest || !(await client.service.has(record.campaign))) {
    const other =
      wanted === undefined
        ? 'token (in HTTP, the header Idempotency-Key)'
        : 'id (--id; in HTTP, in the address)';
    throw new ForayError('CAMPAIGN_EXISTS', `A campaign "${id}" exists with another definition.`, {
      hint: `"foray apply ${id} FILE" (in HTTP, PUT /campaigns/${id}/definition) changes this campaign. To start another campaign, use another ${other}.`,
    });
  }
  // a call that dies before this point leaves a record without a workflow. The next call with the same definition and
  // id then starts the workflow here
  const { runId, warning } = closedPhases.includes(record.phase)
    ? { runId: await client.temporal.call('runIdOf', id), warning: '' }
    : await client.temporal
        .call('startWorkflow', record, client.store.id, isNew ? 'first' : 'again')
        .catch(async (error: unknown) => {
          if (isNew) await client.store.removeCampaign(id);
          throw error;
        });
  const url = client.temporal.pageOf(id, runId);
  return { id, workflowId: id, runId, url, isNew, points, runs, warning };
}

export async function plan(
  client: ClientContext,
  source: DefinitionSource,
  { all = false, runSeconds, onAsked }: PlanSettings = {},
): Promise<Plan> {
  const checked = await checkCampaign(client.cloud, source);
  await checkStart(client, checked.campaign);
  const { campaign, points } = checked;
  const runs = campaign.replications * replicatedPoints(campaign, points);
  const ask = all || runs <= MOST_ASKED ? runs : SAMPLE;
  return planOfChecked(client, checked, { ask, onAsked }, runSeconds);
}

async function planOfChecked(
  client: ClientContext,
  checked: CheckedCampaign,
  options: PlanOptions,
  runSeconds: number | undefined,
): Promise<Plan> {
  const { campaign } = checked;
  const rate =
    runSeconds === undefined
      ? await knownRate(client.store, campaign, client.service)
      : rateOf(runSeconds, campaign);
  return planOf(client.cloud, checked, rate, options);
}

/** The notices of a campaign whose definition names none. @throws ForayError USAGE */
function usualNotices({ notify }: ClientContext['settings']): string[] | undefined {
  if (notify === undefined) return undefined;
  const names = [...new Set(notify)];
  const { error } = Notify.safeParse(names);
  if (!error) return names;
  throw new ForayError(
    'USAGE',
    `The notices "${notify.join(',')}" are not usable: ${error.issues[0]!.message}.`,
    { hint: 'Check --notify or FORAY_NOTIFY: names of letters, digits, "-" and "_", separated by commas.' },
  );
}

/**
 * Checks that the campaign from which a search starts has the same model version.
 *
 * @throws ForayError UNKNOWN_CAMPAIGN, INVALID_VALUE
 */
async function checkStart(
  client: ClientContext,
  { strategy, model }: CheckedCampaign['campaign'],
): Promise<void> {
  if (strategy.by !== 'search' || !strategy.start) return;
  const other = (await recordOf(client, strategy.start.campaign)).campaign;
  if (other.model.versionId === model.versionId) return;
  throw new ForayError(
    'INVALID_VALUE',
    `The search starts from the campaign "${other.id}", which has ${other.model.name} (version ${other.model.version}), not ${model.name} (version ${model.version}).`,
    { hint: 'Name a campaign with the same version under "start", or remove "start".' },
  );
}
