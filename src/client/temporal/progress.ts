import { type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { closedPhases, type Progress } from '../../campaign/types.ts';
import { messageOf } from '../../errors.ts';
import { progressQuery } from '../../workflows/messages.ts';
import type { CampaignRecord } from '../../store/index.ts';
import { type Trouble, troubleOf, unworked } from '../blocked.ts';
import type { TemporalConnection } from './connection.ts';
import { isOf } from './messages.ts';
import { buildOf } from '../../temporal-builds.ts';
import { translated } from '../../temporal-errors.ts';

/**
 * Why a workflow does not answer, when a worker has polled its task queue lately. A worker may answer after the time
 * limit if it computes a search's next point, or if its machine is busy.
 */
export const NOBODY = 'no worker answered in time; it may be busy, or may have ended';

/** Why there is no answer about a workflow, when Temporal has answered other questions lately. */
const BUSY = 'Temporal answers slowly';

/** How a workflow may end before its campaign. Any other workflow first writes the last phase to the store. */
const broken: readonly string[] = ['TERMINATED', 'FAILED', 'TIMED_OUT'];

/** A workflow's answer about its progress, if it answered, and what goes wrong in the workflow. */
export interface Told extends Trouble {
  progress: Progress | undefined;
  /** The build of the worker that carried out its last step; undefined if that is unknown. */
  build?: string | undefined;
}

/** A workflow for which no worker answered. */
interface Silent {
  silent: WorkflowExecutionDescription;
}

/** The workflow's answer about its progress, or why there is none. The time limits of the requests add up to 2.8 s. */
export async function progressOf(temporal: TemporalConnection, record: CampaignRecord): Promise<Told> {
  const { id } = record.campaign;
  try {
    const answer = await temporal.ask(async (client): Promise<Told | Silent> => {
      const handle = client.workflow.getHandle(id);
      const asked = handle.query(progressQuery).catch(() => undefined);
      const described = handle.describe();
      // this waits for the query even if the description fails. Otherwise the SDK repeats the query after its
      // connection is closed, and that breaks the program
      await Promise.allSettled([asked, described]);
      const progress = await asked;
      const description = await described;
      if (!isOf(description, record)) return { progress: undefined, ...unknown(id) };
      // a closed workflow answers queries too
      const isBroken =
        description.status.name !== 'RUNNING' && !closedPhases.includes(progress?.phase ?? 'running');
      if (isBroken) return { progress: undefined, why: ended(description, id), blocks: true };
      const trouble = troubleOf(description);
      const { build } = buildOf(description);
      if (progress) return { progress, build, why: '', blocks: false, ...trouble };
      return trouble ? { progress, build, ...trouble } : { silent: description };
    });
    if (!('silent' in answer)) return answer;
    const why = await unworked(await temporal.connect(), temporal.namespace, answer.silent);
    const { build } = buildOf(answer.silent);
    return { progress: undefined, build, why: why ?? NOBODY, blocks: why !== undefined };
  } catch (error) {
    return { progress: undefined, ...(await untold(temporal, id, error)) };
  }
}

/**
 * Why an open campaign cannot continue. Undefined when the campaign can continue, and when its workflow has just closed.
 * The time limits of the requests add up to 2.8 s.
 */
export async function blockedBy(
  temporal: TemporalConnection,
  record: CampaignRecord,
): Promise<string | undefined> {
  const { id } = record.campaign;
  try {
    const description = await temporal.ask((client) => client.workflow.getHandle(id).describe());
    if (!isOf(description, record)) return unknown(id).why;
    const { name } = description.status;
    if (broken.includes(name)) return ended(description, id);
    if (name !== 'RUNNING') return undefined;
    const trouble = troubleOf(description);
    return trouble?.blocks
      ? trouble.why
      : await unworked(await temporal.connect(), temporal.namespace, description);
  } catch (error) {
    const { why, blocks } = await untold(temporal, id, error);
    return blocks ? why : undefined;
  }
}

function ended({ status }: WorkflowExecutionDescription, id: string): string {
  return `its workflow has ended (${status.name.toLowerCase().replaceAll('_', ' ')}); ${continues(id)}`;
}

function continues(id: string): string {
  return `"foray retry ${id}" continues the campaign, and "foray cancel ${id}" ends it`;
}

function unknown(id: string): Trouble {
  return { why: `Temporal has no workflow of the campaign (any more); ${continues(id)}`, blocks: true };
}

async function untold(temporal: TemporalConnection, id: string, error: unknown): Promise<Trouble> {
  if (error instanceof WorkflowNotFoundError) return unknown(id);
  if (await temporal.isBusy(error)) return { why: BUSY, blocks: false };
  return { why: messageOf(translated(temporal.settings, error)), blocks: true };
}
