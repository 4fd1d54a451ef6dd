import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A span as OTLP writes it, with the name of the program that sent it. */
export interface ReceivedSpan {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  attributes: { key: string; value: unknown }[];
}

interface Attribute {
  key: string;
  value: { stringValue?: string };
}

interface ExportedTraces {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: Omit<ReceivedSpan, 'service'>[] }[];
  }[];
}

/** A receiver of OTLP over HTTP with JSON. */
export interface OtlpReceiver {
  /** The variables with which a program sends its spans here soon. */
  env: NodeJS.ProcessEnv;
  spans: ReceivedSpan[];
  /** The spans from a span to the root of its trace, as far as they have arrived. */
  pathOf(span: ReceivedSpan): ReceivedSpan[];
  close(): void;
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      for (const { resource, scopeSpans } of (body as ExportedTraces).resourceSpans) {
        const named = resource.attributes.find(({ key }) => key === 'service.name');
        const service = named?.value.stringValue ?? '';
        spans.push(...scopeSpans.flatMap((scope) => scope.spans.map((span) => ({ ...span, service }))));
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    },
    spans,
    pathOf(span) {
      const path = [span];
      for (let at: ReceivedSpan | undefined = span; at;) {
        const { traceId, parentSpanId }: ReceivedSpan = at;
        at = spans.find((each) => each.traceId === traceId && each.spanId === parentSpanId);
        if (at) path.push(at);
      }
      return path;
    },
    close: () => void server.close(),
  };
}
