import type { RetryWhat } from '../activities/index.ts';
import { startOver } from '../campaign/scheduler/index.ts';
import { type Context, show } from './context.ts';
import { because, finishedSoFar, note, updateCounts } from './state.ts';
import { activities } from './tick.ts';

export async function carryOutChanges(context: Context): Promise<void> {
  while (context.changes.length > 0) {
    // only the change that an execution begins with can be the retry of only the failed runs
    context.state.failedOnly = false;
    await carryOutChange(context);
  }
}

/** Carries out the first pending change, and answers the person who requested it. */
export async function carryOutChange(context: Context): Promise<void> {
  const { address, state, changes } = context;
  const { request } = changes[0]!;
  // the change begins this execution, because the campaign was closed
  const goesOn = state.phase === 'preparing';
  const withVersion =
    'retry' in request && request.version !== undefined ? ` with version ${request.version}` : '';
  const summary = 'retry' in request ? `retry ${whatOf(request.retry)}${withVersion}` : 'apply a definition';
  const answer = await activities.change.executeWithOptions({ summary }, [{ ...address, request, goesOn }]);
  // the list has the change until here, so that a closing campaign refuses it if the activity fails
  const pending = changes.shift()!;
  if (!('refused' in answer)) {
    if (goesOn || answer.difference?.settings.includes('concurrency'))
      state.schedule.concurrency = answer.settings.concurrency;
    updateCounts(state, answer);
    // the failure policy no longer counts earlier failures
    state.forgiven = finishedSoFar(state);
    startOver(state.schedule, Date.now());
    const what =
      'retry' in request
        ? `${answer.forgiven} failed runs requested again${withVersion}`
        : 'a definition applied';
    note(state, because(what, pending.reason));
  }
  pending.answer = answer;
  show(context);
}

function whatOf(retry: RetryWhat): string {
  return typeof retry === 'string' ? retry : 'failed with one cause';
}
