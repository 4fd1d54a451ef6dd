import { ForayError } from '../../errors.ts';
import { HELLO_EVERY, type Welcome } from '../fleet/protocol.ts';
import { type FleetClient, ServiceFault } from './fleet-client.ts';
import type { ExecutorState } from './executor-state.ts';

/** The interval at which an executor checks whether it should leave, and whether it claims runs, ms. */
const LOOK_EVERY = 250;

export interface GreetingParts {
  client: FleetClient;
  name: string;
  state: ExecutorState;
  onLine: (line: string) => void;
  onFault: (error: unknown) => void;
  /** Called when the service has answered. */
  onAnswer: () => void;
}

/**
 * Sends the first greeting. The answer describes the service.
 *
 * @throws ForayError KEY_REFUSED, EXECUTOR_REFUSED, SERVICE_UNREACHABLE
 */
export async function greetFirst(
  { client, name, state }: Pick<GreetingParts, 'client' | 'name' | 'state'>,
  { url, namespace }: { url: string; namespace: string },
): Promise<Welcome> {
  const welcome = await client.hello(name, state.hello()).catch((error: unknown) => {
    throw refusal(error, url);
  });
  if (welcome.namespace === namespace) return welcome;
  throw new ForayError(
    'EXECUTOR_REFUSED',
    `The service has its lanes in the namespace "${welcome.namespace}" of Temporal, and this executor is in "${namespace}".`,
    { hint: 'Set TEMPORAL_NAMESPACE.' },
  );
}

/**
 * Reports the state of the executor at an interval. The state has the reasons why the executor claims no runs at all,
 * or no runs of a model. A change of these reasons is reported soon. If the service was updated, or a newer executor
 * has the same name, this executor drains. If its key was removed, it leaves.
 *
 * @returns a function that ends the reports, and removes the executor from the list of the service, unless a newer
 *   executor has its name
 */
export function keepGreeting(parts: GreetingParts): () => Promise<void> {
  const { client, name, state, onLine, onFault, onAnswer } = parts;
  let isReplaced = false;
  /** Whether the service has answered the last greeting. */
  let hasAnswered = true;
  const greet = async (): Promise<void> => {
    try {
      await client.hello(name, state.hello());
      onAnswer();
      if (!hasAnswered) onLine('The service answers again.');
      hasAnswered = true;
    } catch (error) {
      hasAnswered = false;
      onFault(error);
      const code = error instanceof ServiceFault ? error.code : undefined;
      // a newer executor has the name
      if (code === 'NAME_TAKEN') isReplaced = true;
      // the service has been updated
      if (code === 'OTHER_BUILD' || isReplaced) state.draining.abort();
      // the service would refuse the reports of runs, too
      if (code === 'KEY_REFUSED') state.leaving.abort();
    }
  };
  const greeting = setInterval(() => void greet(), HELLO_EVERY);
  let said = '';
  const looking = setInterval(() => {
    const { problem, refusals } = state.hello();
    const reasons = [
      ...(problem === null ? [] : [`Claims nothing: ${problem}`]),
      ...refusals.map((refusal) => `Takes no runs of ${refusal}`),
    ].join('\n');
    if (reasons !== said) {
      said = reasons;
      if (reasons !== '') onLine(reasons);
      void greet();
    }
    state.leaveInTime();
  }, LOOK_EVERY);
  return async () => {
    clearInterval(greeting);
    clearInterval(looking);
    // the newer executor stays in the list
    if (!isReplaced) await client.leave(name).catch(() => {});
  };
}

/** The error for a person who starts an executor, when the service does not accept it or cannot be reached. */
function refusal(error: unknown, url: string): unknown {
  if (!(error instanceof ServiceFault)) return error;
  const { code, message } = error;
  const service = `The model service at ${url}`;
  const address = { hint: 'Check the address of the service (--service-url or FORAY_SERVICE_URL).' };
  if (code === undefined) {
    return new ForayError('SERVICE_UNREACHABLE', `${service} cannot be used: ${message}.`, address);
  }
  if (code === 'KEY_REFUSED') {
    return new ForayError('KEY_REFUSED', `${service} refuses the key: ${message}`, {
      hint: 'Make one with foray keys add NAME --role executor, and pass it as FORAY_EXECUTOR_KEY.',
    });
  }
  if (code === 'UNKNOWN_ROUTE') {
    return new ForayError('EXECUTOR_REFUSED', `${service} takes no executors on other machines.`, {
      hint: 'Start it with --temporal.',
    });
  }
  return new ForayError(
    'EXECUTOR_REFUSED',
    `${service} refuses this executor: ${message}`,
    code === 'OTHER_BUILD' ? {} : address,
  );
}
