import { messageOf } from './errors.ts';
import type { SpanOptions, Tracing } from './opentelemetry.ts';

/**
 * Traces of campaigns, from the submit to the execution of each run. The variables `OTEL_…` switch them on. Without
 * them, nothing of OpenTelemetry is loaded.
 */

/** The traces of this process; undefined if they are off. */
export let tracing: Tracing | undefined;

const PROTOCOLS = ['http/protobuf', 'http/json'] as const;

/**
 * Begins to send traces, if the environment asks for them.
 *
 * @param name - the name of the program in traces, if the environment does not say it
 * @param tell - receives a line when traces cannot be sent
 */
export async function startTracing(name: string, tell: (line: string) => void): Promise<void> {
  if (!isWanted(process.env)) return;
  const set = process.env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL || process.env.OTEL_EXPORTER_OTLP_PROTOCOL;
  const protocol = PROTOCOLS.find((each) => each === (set || PROTOCOLS[0]));
  if (protocol === undefined)
    return tell(`No traces are sent: the protocol is "${set}", and foray sends ${PROTOCOLS.join(' or ')}.`);
  const { openTracing } = await import('./opentelemetry.ts');
  tracing = openTracing(name, protocol, tell);
}

/** Sends the last spans. */
export async function endTracing(): Promise<void> {
  const ending = tracing;
  tracing = undefined;
  await ending?.close();
}

/**
 * Whether traces are wanted, by the variables of OpenTelemetry's specification. There is one exception: if no exporter is
 * named, there are traces only with an address.
 */
function isWanted(env: NodeJS.ProcessEnv): boolean {
  if (env.OTEL_SDK_DISABLED?.toLowerCase() === 'true') return false;
  const exporters = env.OTEL_TRACES_EXPORTER;
  if (exporters) return exporters.split(',').some((each) => each.trim() === 'otlp');
  return Boolean(env.OTEL_EXPORTER_OTLP_ENDPOINT || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
}

/** The headers with which a request continues the current trace. */
export function traceHeaders(): { traceparent?: string } {
  const traceparent = tracing?.current();
  return traceparent === undefined ? {} : { traceparent };
}

/**
 * Does work within a span. The work begins before this function returns.
 *
 * @param parent - the value of a header `traceparent`, or `new` for a new trace; without it there is no span
 * @param failureOf - why the work failed although it threw no error
 */
export function inSpan<T>(
  name: string,
  parent: string | undefined,
  { failureOf, ...options }: SpanOptions & { failureOf?: (result: T) => string | undefined },
  work: () => Promise<T>,
): Promise<T> {
  if (!tracing || parent === undefined) return work();
  const span = tracing.begin(name, parent, options);
  return span.within(work).then(
    (result) => {
      span.end(failureOf?.(result));
      return result;
    },
    (error: unknown) => {
      span.end(messageOf(error));
      throw error;
    },
  );
}
