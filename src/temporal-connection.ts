import { setTimeout as delay } from 'node:timers/promises';
import {
  Connection,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';
import { messageOf } from './errors.ts';
import { translated } from './temporal-errors.ts';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];

/**
 * The time limit of a call that sets none, ms. It covers the SDK's repetitions of the call. A server that is frozen
 * keeps its connections, and never answers. The longest call that waits on purpose takes 20 s.
 */
const CALL_MS = 60_000;

/** Gives a call the time limit that it lacks. */
const limited: Interceptor = (options, nextCall) =>
  nextCall({ ...options, deadline: options.deadline ?? Date.now() + CALL_MS }) as ReturnType<Interceptor>;

/** The pause between two looks at a worker that ends, ms. */
const LOOK_MS = 100;

/** The status of a call that was cancelled. The SDK does not repeat such a call. */
const CANCELLED = 1;

/**
 * Ends a call that begins after the connection was closed. gRPC throws an error then, and the SDK repeats a call from a
 * timer, where nobody can catch the error.
 */
const endedByClose: Interceptor = (options, nextCall) => {
  try {
    return nextCall(options) as ReturnType<Interceptor>;
  } catch (error) {
    const ended: Pick<ReturnType<Interceptor>, 'start' | 'sendMessage' | 'halfClose'> = {
      start(metadata, listener) {
        listener?.onReceiveMessage?.(null);
        listener?.onReceiveStatus?.({ code: CANCELLED, details: messageOf(error), metadata });
      },
      sendMessage() {},
      halfClose() {},
    };
    return ended as ReturnType<Interceptor>;
  }
};

/**
 * Connects a client to Temporal. Each of its calls has a time limit. A server on this machine is never reached through a
 * proxy of the environment (http_proxy).
 *
 * @throws errors of the SDK
 */
export function connectTemporal(options: ConnectionOptions): Promise<Connection> {
  const isOwn = /^(localhost|127(\.\d+){3}|\[::1\])(:\d+)?$/.test(options.address ?? 'localhost');
  return Connection.connect({
    ...options,
    interceptors: [limited, makeGrpcRetryInterceptor(defaultGrpcRetryOptions()), endedByClose],
    ...(isOwn && { channelArgs: { ...options.channelArgs, 'grpc.enable_http_proxy': 0 } }),
  });
}

/** A connection of a client or of a worker. */
interface Describing {
  workflowService: { describeNamespace(request: { namespace: string }): Promise<unknown> };
}

/**
 * Checks that a namespace can be used. Without this, the SDK fails only when a worker has threads, and these threads
 * then keep the process for ever.
 *
 * @throws ForayError TEMPORAL_REFUSED, TEMPORAL_UNREACHABLE
 */
export async function requireNamespace(
  { workflowService }: Describing,
  temporal: { connectionOptions: { address?: string | undefined }; namespace: string },
): Promise<void> {
  try {
    await workflowService.describeNamespace({ namespace: temporal.namespace });
  } catch (error) {
    throw translated({ temporal }, error);
  }
}

/**
 * Resolves to true when a worker has been lost for a time: it shall end, and waits for answers of Temporal. It still uses
 * its connection then, so the caller has to end the process.
 */
export async function untilCutOff(isLost: () => boolean, limit: number): Promise<true> {
  for (let since = performance.now(); ;) {
    // a process that was frozen sees late that time has passed, and still works
    if (!isLost()) since = performance.now();
    if (performance.now() - since >= limit) return true;
    await delay(LOOK_MS, undefined, { ref: false });
  }
}
