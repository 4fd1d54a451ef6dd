import { ApplicationFailure, condition, setHandler } from '@temporalio/workflow';
import type { ChangeRequest, DefinitionMessage, KnownFiles, RetryWhat } from '../activities/index.ts';
import { isConcurrency, WRONG_CONCURRENCY } from '../campaign/concurrency.ts';
import type { Context } from './context.ts';
import {
  applyUpdate,
  cancelSignal,
  type Changed,
  failuresQuery,
  flightsQuery,
  isTooLong,
  LONGEST_DEFINITION,
  pauseSignal,
  progressQuery,
  resumeSignal,
  retryUpdate,
  setConcurrencyUpdate,
  stopSignal,
  TOO_LATE,
} from './messages.ts';
import {
  because,
  type CampaignState,
  commonestFirst,
  finishedSoFar,
  flightsOf,
  note,
  progressOf,
} from './state.ts';

/**
 * Registers the handlers of the campaign's messages. A cancel and a new concurrency have an immediate effect. Other
 * signals and updates only record requests, which the main loop carries out.
 *
 * @param cancel ends the main loop immediately
 */
export function listen(context: Context, cancel: () => void): void {
  const { state } = context;
  setHandler(
    cancelSignal,
    (reason) => {
      note(state, because('cancelled by a signal', reason));
      state.verdict = '';
      cancel();
    },
    { description: 'Stop the runs and keep the finished results. Input: a reason, or nothing.' },
  );
  setHandler(pauseSignal, (reason) => wish(state, 'pause', because('paused', reason)), {
    description: 'Request no new runs. Requested runs continue. Input: a reason, or nothing.',
  });
  setHandler(
    resumeSignal,
    (reason) => {
      if (state.wish !== 'pause') return;
      wish(state, 'run', because('resumed', reason));
      if (state.search !== null && state.search.refusal !== null)
        Object.assign(state.search, { isDue: true, refusal: null });
      state.forgiven = finishedSoFar(state);
      state.verdict = '';
    },
    {
      description:
        'Continue a paused campaign. Its failures so far no longer count. Input: a reason, or nothing.',
    },
  );
  setHandler(
    stopSignal,
    (reason) => {
      // a person ends a campaign that the failure policy may have paused, so the policy no longer decides its last
      // phase
      if (state.wish === 'pause') state.verdict = '';
      wish(state, 'stop', because('stopped', reason));
    },
    { description: 'End when the requested runs have finished. Input: a reason, or nothing.' },
  );
  setHandler(
    setConcurrencyUpdate,
    (concurrency) => {
      state.schedule.concurrency = concurrency;
      // tick now, because more runs may be allowed
      state.schedule.tickAt = Math.min(state.schedule.tickAt, Date.now());
      return concurrency;
    },
    {
      description: 'The most runs that are requested at once: a whole number from 1, or "auto".',
      validator: validateConcurrency,
    },
  );
  setHandler(
    retryUpdate,
    (what = 'all', version, reason) =>
      change(context, { retry: what, ...(typeof version === 'number' && { version }) }, reason),
    {
      description:
        'Request failed runs again. Input: "failed", "missing", "all", {"cause": …} or nothing. A second input may be the number of another version of the model, and a third a reason.',
      validator: (what?: RetryWhat, version?: number | null, _reason?: string) => {
        validateInTime(context);
        if (what !== undefined && !isRetryWhat(what))
          throw new Error('The input must be "failed", "missing", "all" or {"cause": …}.');
        if (version !== undefined && version !== null && !(Number.isInteger(version) && version >= 1))
          throw new Error('The version of the model must be its number, from 1.');
      },
    },
  );
  setHandler(applyUpdate, (apply, files, reason) => change(context, { apply, files }, reason), {
    description: 'Change the campaign to a definition. Input: the definition as JSON, or its text.',
    validator: (definition: DefinitionMessage, _files?: KnownFiles, _reason?: string) => {
      validateInTime(context);
      validateDefinition(definition);
    },
  });
  setHandler(progressQuery, () => progressOf(state, Date.now()), {
    description: 'Phase, counts, window, rate, time left.',
  });
  setHandler(flightsQuery, () => flightsOf(state), {
    description: 'Runs that are requested and have not finished.',
  });
  setHandler(failuresQuery, () => commonestFirst(state.causes), {
    description: 'Failed runs by cause, with one example of each.',
  });
}

/** Records the phase that a person, the failure policy or a search requests, and the reason. */
export function wish(state: CampaignState, wanted: CampaignState['wish'], reason: string): void {
  // a stopping campaign cannot pause or resume
  if (state.wish === 'stop' || state.wish === wanted) return;
  state.wish = wanted;
  note(state, reason);
}

/** Adds a change for the main loop, and waits for its result. */
async function change(context: Context, request: ChangeRequest, reason: unknown): Promise<Changed> {
  const pending: Context['changes'][number] = { request, reason, answer: undefined };
  context.changes.push(pending);
  await condition(() => pending.answer !== undefined);
  const answer = pending.answer!;
  if ('refused' in answer) throw ApplicationFailure.nonRetryable(answer.refused, answer.code);
  return answer;
}

/** @throws Error if the value is neither `auto` nor a whole number of at least 1 */
function validateConcurrency(concurrency: unknown): void {
  if (!isConcurrency(concurrency)) throw new Error(WRONG_CONCURRENCY);
}

/**
 * @throws ApplicationFailure TOO_LATE if the campaign is closing or stopping: after the close, a new execution makes
 * the change
 */
function validateInTime({ isClosing, state }: Context): void {
  if (isClosing) throw ApplicationFailure.nonRetryable('The campaign is closing.', TOO_LATE);
  if (state.wish === 'stop')
    throw ApplicationFailure.nonRetryable('The campaign is stopping. Change it when it is closed.', TOO_LATE);
}

/** @throws Error if the value cannot be a definition; an activity checks its content */
function validateDefinition(definition: unknown): void {
  const isOne = typeof definition === 'string' || (typeof definition === 'object' && definition !== null);
  if (!isOne) throw new Error('The input must be a definition, as JSON or as its text.');
  if (isTooLong(definition))
    throw new Error(`The definition is longer than ${LONGEST_DEFINITION} characters.`);
}

function isRetryWhat(what: unknown): boolean {
  if (typeof what === 'string') return ['failed', 'missing', 'all'].includes(what);
  return typeof what === 'object' && what !== null && 'cause' in what && typeof what.cause === 'string';
}
