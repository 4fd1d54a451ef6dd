import {
  Connection,
  type ConnectionOptions,
  defaultGrpcRetryOptions,
  makeGrpcRetryInterceptor,
} from '@temporalio/client';

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];

/**
 * The time limit of a call that sets none, ms. It covers the SDK's repetitions of the call. A server that is frozen
 * keeps its connections, and never answers. The longest call that waits on purpose takes 20 s.
 */
const CALL_MS = 60_000;

/** Gives a call the time limit that it lacks. */
const limited: Interceptor = (options, nextCall) =>
  nextCall({ ...options, deadline: options.deadline ?? Date.now() + CALL_MS }) as ReturnType<Interceptor>;

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
    interceptors: [limited, makeGrpcRetryInterceptor(defaultGrpcRetryOptions())],
    ...(isOwn && { channelArgs: { ...options.channelArgs, 'grpc.enable_http_proxy': 0 } }),
  });
}
