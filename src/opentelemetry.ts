import { setTimeout as delay } from 'node:timers/promises';
import {
  type Context,
  context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { setGlobalErrorHandler, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResourcesSync, envDetectorSync, Resource } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import { OpenTelemetryWorkflowClientInterceptor } from '@temporalio/interceptors-opentelemetry/lib/client/index.js';
import {
  makeWorkflowExporter,
  OpenTelemetryActivityInboundInterceptor,
} from '@temporalio/interceptors-opentelemetry/lib/worker/index.js';
import type { WorkerOptions } from '@temporalio/worker';
import type { WorkflowInfo } from '@temporalio/workflow';
import { messageOf } from './errors.ts';
import { version } from './package/own-version.ts';

/**
 * Traces by the SDK of OpenTelemetry. Only `src/tracing.ts` loads this module, and only when traces are wanted: it takes
 * a while to load.
 */

export interface SpanOptions {
  attributes?: Record<string, string | number>;
  /** The side of a request. @default neither */
  side?: 'client' | 'server';
  /** The start, ms since 1970. @default now */
  startedAt?: number;
}

/** A span that has begun. */
export interface OpenSpan {
  /** Calls a function. All that it does, also later, is within the span. */
  within<T>(work: () => T): T;
  /** @param failure - why the work failed; undefined if it did not */
  end(failure?: string): void;
}

export interface Tracing {
  /** @param parent - the value of a header `traceparent`, or `new` for a new trace */
  begin(name: string, parent: string, options?: SpanOptions): OpenSpan;
  /** The value of the header `traceparent` for the current span; undefined without one and if nobody records it. */
  current(): string | undefined;
  readonly ofClient: WorkflowClientInterceptor;
  readonly ofWorker: Pick<WorkerOptions, 'interceptors' | 'sinks'>;
  /** Sends what is left, for two seconds at most. */
  close(): Promise<void>;
}

const KINDS = { client: SpanKind.CLIENT, server: SpanKind.SERVER };
/** How long the end of a process may wait for its last spans, ms. */
const CLOSE_MS = 2_000;

/**
 * Begins to send spans. Further variables `OTEL_…` are read by the SDK.
 *
 * @param name - the name of the program, if `OTEL_SERVICE_NAME` does not say it
 * @param tell - receives a line when spans cannot be sent
 */
export function openTracing(
  name: string,
  protocol: 'http/json' | 'http/protobuf',
  tell: (line: string) => void,
): Tracing {
  const own = new Resource({ 'service.name': name, 'service.version': version });
  const resource = own.merge(detectResourcesSync({ detectors: [envDetectorSync] }));
  const processor = new BatchSpanProcessor(
    protocol === 'http/json' ? new JsonExporter() : new ProtobufExporter(),
  );
  const provider = new BasicTracerProvider({ resource, spanProcessors: [processor] });
  const propagator = new W3CTraceContextPropagator();
  provider.register({ contextManager: new AsyncLocalStorageContextManager().enable(), propagator });
  setGlobalErrorHandler(withoutRepeats(tell));
  const tracer = provider.getTracer('foray', version);
  return {
    begin(spanName, parent, { attributes, side, startedAt } = {}) {
      const kind = side ? KINDS[side] : SpanKind.INTERNAL;
      const options = { kind, attributes, startTime: startedAt };
      const span = tracer.startSpan(spanName, options, contextOf(parent));
      const inside = trace.setSpan(ROOT_CONTEXT, span);
      return {
        within: (work) => context.with(inside, work),
        end(failure) {
          if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
          span.end();
        },
      };
    },
    current() {
      if (!trace.getActiveSpan()?.isRecording()) return undefined;
      const headers: { traceparent?: string } = {};
      propagation.inject(context.active(), headers, defaultTextMapSetter);
      return headers.traceparent;
    },
    ofClient: clientInterceptor(),
    ofWorker: {
      interceptors: {
        activity: [(activity) => ({ inbound: new OpenTelemetryActivityInboundInterceptor(activity) })],
      },
      sinks: { exporter: withFewAttributes(makeWorkflowExporter(processor, resource)) },
    },
    async close() {
      const sent = provider.shutdown().then(
        () => true,
        () => false,
      );
      const late = delay(CLOSE_MS, false, { ref: false });
      if (!(await Promise.race([sent, late]))) tell('The last spans are not sent: nobody has taken them.');
    },
  };
}

function contextOf(parent: string): Context {
  if (parent === 'new') return ROOT_CONTEXT;
  return propagation.extract(ROOT_CONTEXT, { traceparent: parent }, defaultTextMapGetter);
}

type WorkflowExporter = ReturnType<typeof makeWorkflowExporter>;

/** Keeps what Temporal knows of a workflow, such as its memo, out of each of its spans. */
function withFewAttributes({ export: all }: WorkflowExporter): WorkflowExporter {
  return {
    export: {
      ...all,
      fn: ({ workflowId, runId, workflowType, attempt }, spans) =>
        all.fn({ workflowId, runId, workflowType, attempt } as WorkflowInfo, spans),
    },
  };
}

/** Tells only the first of equal failures in a row: a collector that is away fails every few seconds. */
function withoutRepeats(tell: (line: string) => void): (error: unknown) => void {
  let told = '';
  return (error) => {
    const line = `Spans cannot be sent: ${messageOf(error).split('\n')[0]}`;
    if (line !== told) tell(line);
    told = line;
  };
}

/** Traces the calls that change a campaign. Questions about campaigns are left out, because there are too many. */
function clientInterceptor(): WorkflowClientInterceptor {
  const all = new OpenTelemetryWorkflowClientInterceptor();
  return {
    start: all.start.bind(all),
    startWithDetails: all.startWithDetails.bind(all),
    startUpdate: all.startUpdate.bind(all),
    startUpdateWithStart: all.startUpdateWithStart.bind(all),
    signal: all.signal.bind(all),
    signalWithStart: all.signalWithStart.bind(all),
    cancel: all.cancel.bind(all),
  };
}
