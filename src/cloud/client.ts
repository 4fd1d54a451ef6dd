import type { z } from 'zod';
import { type EndpointName, type Endpoint, endpoints } from '../api/endpoints.ts';
import type {
  AnimationInfo,
  Experiment,
  FileReference,
  Model,
  Outputs,
  OutputsTemplate,
  ResultsRequest,
  Run,
  RunRequest,
  RunState,
  Version,
} from '../api/index.ts';
import type { Sink } from './download.ts';
import { CloudError, isCloudError } from './errors.ts';
import { fetchOutputFile } from './output-file.ts';
import { Transport, type TransportOptions } from './transport.ts';

interface CallOptions {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal | undefined;
  isStart?: boolean;
}

/**
 * The model service as a typed client: one method an endpoint (specification, section 4).
 * Every method rejects with a CloudError.
 */
export class CloudClient {
  private readonly transport: Transport;
  /** Endpoints that this service was seen to know in their older spelling only. */
  private readonly older = new Set<EndpointName>();
  /** Endpoints that it was seen to know in their current one. */
  private readonly current = new Set<EndpointName>();

  constructor(options: TransportOptions) {
    this.transport = new Transport(options);
  }

  listModels(signal?: AbortSignal): Promise<Model[]> {
    return this.call('listModels', { signal });
  }

  getModel(modelId: string, signal?: AbortSignal): Promise<Model> {
    return this.call('getModel', { params: { modelId }, signal });
  }

  getModelByName(name: string, signal?: AbortSignal): Promise<Model> {
    return this.call('getModelByName', { params: { name }, body: name, signal });
  }

  getVersion(modelId: string, versionId: string, signal?: AbortSignal): Promise<Version> {
    return this.call('getVersion', { params: { modelId, versionId }, signal });
  }

  getVersionByNumber(modelId: string, number: number, signal?: AbortSignal): Promise<Version> {
    return this.call('getVersionByNumber', { params: { modelId, number: String(number) }, signal });
  }

  listExperiments(versionId: string, signal?: AbortSignal): Promise<Experiment[]> {
    return this.call('listExperiments', { params: { versionId }, signal });
  }

  /** An abort waits some seconds for the answer of a request that is sent: what it starts is to be known. */
  requestRun(versionId: string, request: RunRequest, signal?: AbortSignal): Promise<Run> {
    return this.call('requestRun', { params: { versionId }, body: request, signal, isStart: true });
  }

  /** Stops the run for everyone who shares it. */
  async stopRun(versionId: string, request: RunRequest, signal?: AbortSignal): Promise<void> {
    await this.call('stopRun', { params: { versionId }, body: request, signal });
  }

  findRun(versionId: string, request: RunRequest, signal?: AbortSignal): Promise<Run> {
    return this.call('findRun', { params: { versionId }, body: request, signal });
  }

  getProgress(versionId: string, runId: string, signal?: AbortSignal): Promise<RunState> {
    return this.call('getProgress', { params: { versionId, runId }, signal });
  }

  getRunResults(
    versionId: string,
    runId: string,
    template: OutputsTemplate,
    signal?: AbortSignal,
  ): Promise<Outputs> {
    return this.call('getRunResults', { params: { versionId, runId }, body: template, signal });
  }

  getResults(versionId: string, request: ResultsRequest, signal?: AbortSignal): Promise<Outputs> {
    return this.call('getResults', { params: { versionId }, body: request, signal });
  }

  startAnimation(versionId: string, request: RunRequest, signal?: AbortSignal): Promise<AnimationInfo> {
    return this.call('startAnimation', { params: { versionId }, body: request, signal });
  }

  /** An address that needs no key and holds for five minutes: a secret while it does. */
  getOutputFileUrl(hash: string, filename: string, signal?: AbortSignal): Promise<string> {
    return this.call('getOutputFileUrl', { query: { hash, filename }, signal });
  }

  /**
   * Fetches an output file, perhaps in several attempts: what does not come for the moment is asked for again.
   *
   * @param begin gives what takes its bytes, from the first one, of each attempt
   * @param most bytes at most; a file of any size may take any time, as long as its bytes keep coming
   * @returns the SHA-256 of the content, in base64url
   */
  fetchOutputFile(
    { hash, localPath }: FileReference,
    begin: () => Sink | Promise<Sink>,
    { most = Infinity, signal }: { most?: number; signal?: AbortSignal | undefined } = {},
  ): Promise<string> {
    const address = async (): Promise<string> => {
      const signed = await this.getOutputFileUrl(hash, localPath || 'file', signal);
      await this.transport.turn(signal);
      return signed;
    };
    const total = most === Infinity ? undefined : this.transport.total;
    const rest = (ms: number): void => this.transport.rest(ms);
    return fetchOutputFile({ hash, address, begin, rest, most, total, signal });
  }

  /** @returns the hash of the stored file */
  uploadFile(content: Uint8Array, signal?: AbortSignal): Promise<string> {
    return this.call('uploadFile', { body: content, signal });
  }

  checkFile(hash: string, signal?: AbortSignal): Promise<boolean> {
    return this.call('checkFile', { query: { hash }, signal });
  }

  /** What a service says of a run in words of its own, without the key and without signed addresses. */
  redacted(text: string, most: number): string {
    return this.transport.redacted(text, most);
  }

  private async call<Name extends EndpointName>(
    name: Name,
    options: CallOptions,
  ): Promise<z.output<(typeof endpoints)[Name]['response']>> {
    const endpoint: Endpoint = endpoints[name];
    const answer = await this.ask(name, endpoint, options);
    const parsed = endpoint.response.safeParse(knownStatuses(answer ?? null));
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      throw new CloudError(
        'malformed',
        `${endpoint.method} ${endpoint.path}: the answer is not as specified${issue ? ` (${issue.path.map(String).join('.')}: ${issue.message})` : ''}`,
      );
    }
    return parsed.data as z.output<(typeof endpoints)[Name]['response']>;
  }

  /** Asks in the current spelling, and once in the older one where the service does not know the current. */
  private async ask(name: EndpointName, endpoint: Endpoint, options: CallOptions): Promise<unknown> {
    const { older } = endpoint;
    if (!older) return this.send(endpoint, options);
    if (this.older.has(name)) return this.send(older, options);
    try {
      const answer = await this.send(endpoint, options);
      this.current.add(name);
      return answer;
    } catch (error) {
      if (
        this.current.has(name) ||
        !isCloudError(error) ||
        (error.kind !== 'not-found' && error.kind !== 'refused')
      )
        throw error;
      const answer = await this.send(older, options).catch((failure: unknown) => {
        // Only an answer says that the older spelling is not known either; what may pass says nothing.
        throw isCloudError(failure) && (!failure.isRetryable || failure.kind === 'malformed')
          ? error
          : failure;
      });
      this.older.add(name);
      return answer;
    }
  }

  private send(
    { method, path }: Pick<Endpoint, 'method' | 'path'>,
    { params, query, body, signal, isStart }: CallOptions,
  ): Promise<unknown> {
    return this.transport.send({
      method,
      path: path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params?.[name] ?? '')),
      ...(query && { query }),
      ...(method === 'POST' && { body: body instanceof Uint8Array ? { bytes: body } : { json: body } }),
      signal,
      ...(isStart && { isStart }),
    });
  }
}

/** Clients in the field know `ERROR` where the specification says `FAILED` (notes on real clients). */
function knownStatuses(answer: unknown): unknown {
  const isError =
    typeof answer === 'object' && answer !== null && 'status' in answer && answer.status === 'ERROR';
  return isError ? { ...answer, status: 'FAILED' } : answer;
}
