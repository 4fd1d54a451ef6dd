import type { WorkflowHandle } from '@temporalio/client';
import type { World } from './world.ts';

export type Events = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>;

/** A submitted campaign, with the first execution of its workflow. */
export type SubmittedCampaign = Pick<Awaited<ReturnType<World['foray']['submit']>>, 'id' | 'runId'>;

/**
 * The history of each execution of a campaign. The oldest execution comes first. Each history names the next execution;
 * Temporal's list of workflows is late.
 */
export async function histories({ environment }: World, { id, runId }: SubmittedCampaign): Promise<Events[]> {
  const { client } = environment;
  const all: Events[] = [];
  for (let next: string | null | undefined = runId; next;) {
    const events: Events = (await client.workflow.getHandle(id, next).fetchHistory()).events!;
    all.push(events);
    next = events.at(-1)!.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
  }
  return all;
}

/** For each execution of a campaign, the workers that carried out its workflow tasks. */
export async function workersOf(world: World, submitted: SubmittedCampaign): Promise<string[][]> {
  return (await histories(world, submitted)).map((events) => {
    const workers = events.flatMap(({ workflowTaskStartedEventAttributes: task }) => task?.identity ?? []);
    return [...new Set(workers)];
  });
}
