import type { z } from 'zod';
import type { Endpoint } from '../api/endpoints.ts';
import {
  allEndpoints,
  type AllowedValues,
  type AnyEndpointName,
  type extensions,
  type RunLog,
} from '../api/extensions.ts';
import { Health } from '../api/health.ts';
import type {
  AnimationInfo,
  Experiment,
  FileReference,
  ListedExecutor,
  Model,
  Outputs,
  OutputsTemplate,
  Pruned,
  PruneRequest,
  Pushed,
  PushRequest,
  ResultsRequest,
  Run,
  RunRequest,
  RunState,
  Version,
  VersionCode,
  VersionSummary,
} from '../api/index.ts';
import type { Sink } from './download.ts';
import { CloudError, isCloudError, isUnknownThere, lacksExtension, lacksHealth } from './errors.ts';
import { fetchOutputFile } from './output-file.ts';
import { LONGEST_REASON, reasonIn } from './outputs.ts';
import { inSpan, tracing } from '../tracing.ts';
import { Transport, type TransportOptions } from './transport.ts';

interface CallOptions {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal | undefined;
  isStart?: boolean;
}

/**
 * A typed client of the model service, with one method per endpoint of the specification (section 4), and methods for what
 * only a foray service has. If a request fails, the method rejects with a CloudError. After an abort, it rejects with the
 * reason of the abort.
 */
export class CloudClient {
  readonly #transport: Transport;
  /** The endpoints that this service knows only in their older spelling. */
  readonly #older = new Set<AnyEndpointName>();
  /** The endpoints that this service knows in their current spelling. */
  readonly #current = new Set<AnyEndpointName>();

  constructor(options: TransportOptions) {
    this.#transport = new Transport(options);
  }

  /** The UUID of a foray service, which is the same at every address; undefined for other hosts. */
  async identity(signal?: AbortSignal): Promise<string | undefined> {
    return (await this.health(signal))?.service;
  }

  /** The state of a foray service: its identity, and the problems that it has now; undefined for other hosts. */
  async health(signal?: AbortSignal): Promise<Health | undefined> {
    try {
      const answer = await this.#transport.send({ method: 'GET', path: '/health', isBeside: true, signal });
      return Health.safeParse(answer).data;
    } catch (error) {
      if (lacksHealth(error)) return undefined;
      throw error;
    }
  }

  /** The files of a version, and whether it still takes new runs; undefined if the service does not offer them. */
  getVersionCode(versionId: string, signal?: AbortSignal): Promise<VersionCode | undefined> {
    return this.#callExtension('getVersionCode', { params: { versionId }, signal });
  }

  /** The versions of a model and their stored files; undefined if the service does not offer them. */
  listVersions(modelId: string): Promise<VersionSummary[] | undefined> {
    return this.#callExtension('listVersions', { params: { modelId } });
  }

  /** Removes the stored files of old versions; rejects if the service does not offer this. */
  pruneVersions(modelId: string, which: PruneRequest): Promise<Pruned> {
    return this.#call('pruneVersions', { params: { modelId }, body: which });
  }

  /**
   * Makes a version of a model. If the service lacks files of the version, its answer names them.
   * @throws CloudError of the kind `refused-model` if the files are not a valid model
   */
  async pushModel(request: PushRequest): Promise<Pushed> {
    try {
      return await this.#call('pushModel', { body: request });
    } catch (error) {
      // what the service refuses here are names and paths of files
      if (isCloudError(error) && error.kind === 'refused')
        throw new CloudError('refused-model', error.message);
      throw error;
    }
  }

  /** @returns the SHA-256 of the stored file, in hexadecimal digits */
  pushFile(content: Uint8Array): Promise<string> {
    return this.#call('pushFile', { body: content });
  }

  /** The executors on other machines; undefined if the service does not list them. */
  listExecutors(): Promise<ListedExecutor[] | undefined> {
    return this.#callExtension('listExecutors', { params: {} });
  }

  /** The inputs of a version that have limits; empty if the service does not offer them. */
  async getAllowedValues(versionId: string): Promise<AllowedValues[]> {
    return (await this.#callExtension('getAllowedValues', { params: { versionId } })) ?? [];
  }

  listModels(signal?: AbortSignal): Promise<Model[]> {
    return this.#call('listModels', { signal });
  }

  getModel(modelId: string, signal?: AbortSignal): Promise<Model> {
    return this.#call('getModel', { params: { modelId }, signal });
  }

  getModelByName(name: string, signal?: AbortSignal): Promise<Model> {
    // the older spelling has the name in its path
    return this.#call('getModelByName', { params: { name }, body: name, signal });
  }

  getVersion(modelId: string, versionId: string, signal?: AbortSignal): Promise<Version> {
    return this.#call('getVersion', { params: { modelId, versionId }, signal });
  }

  getVersionByNumber(modelId: string, number: number, signal?: AbortSignal): Promise<Version> {
    return this.#call('getVersionByNumber', { params: { modelId, number: String(number) }, signal });
  }

  listExperiments(versionId: string, signal?: AbortSignal): Promise<Experiment[]> {
    return this.#call('listExperiments', { params: { versionId }, signal });
  }

  /**
   * Requests a run. After an abort, the method still waits up to 5 s for the answer, because the service may have
   * started the run, and the caller needs the id of the run.
   */
  requestRun(versionId: string, request: RunRequest, signal?: AbortSignal): Promise<Run> {
    return this.#call('requestRun', { params: { versionId }, body: request, signal, isStart: true });
  }

  /** Stops the run for everyone who shares it. */
  async stopRun(versionId: string, request: RunRequest, signal?: AbortSignal): Promise<void> {
    await this.#call('stopRun', { params: { versionId }, body: request, signal });
  }

  findRun(versionId: string, request: RunRequest, signal?: AbortSignal): Promise<Run> {
    return this.#call('findRun', { params: { versionId }, body: request, signal });
  }

  getProgress(versionId: string, runId: string, signal?: AbortSignal): Promise<RunState> {
    return this.#call('getProgress', { params: { versionId, runId }, signal });
  }

  getRunResults(
    versionId: string,
    runId: string,
    template: OutputsTemplate,
    signal?: AbortSignal,
  ): Promise<Outputs> {
    return this.#call('getRunResults', { params: { versionId, runId }, body: template, signal });
  }

  getResults(versionId: string, request: ResultsRequest, signal?: AbortSignal): Promise<Outputs> {
    return this.#call('getResults', { params: { versionId }, body: request, signal });
  }

  startAnimation(versionId: string, request: RunRequest, signal?: AbortSignal): Promise<AnimationInfo> {
    return this.#call('startAnimation', { params: { versionId }, body: request, signal });
  }

  /** A pre-signed address of an output file. It is valid for five minutes without a key, so treat it as a secret. */
  getOutputFileUrl(hash: string, filename: string, signal?: AbortSignal): Promise<string> {
    return this.#call('getOutputFileUrl', { query: { hash, filename }, signal });
  }

  /**
   * Fetches an output file, and retries temporary errors.
   *
   * @param begin - returns a new receiver of the bytes for each attempt
   * @param most - the most bytes of the file. Without a limit, the transfer may take any time as long as bytes arrive
   * @returns the SHA-256 of the content, in base64url
   */
  fetchOutputFile(
    { hash, localPath }: FileReference,
    begin: () => Sink | Promise<Sink>,
    { most = Infinity, signal }: { most?: number; signal?: AbortSignal | undefined } = {},
  ): Promise<string> {
    const newAddress = async (): Promise<string> => {
      const address = await this.getOutputFileUrl(hash, localPath || 'file', signal);
      // the download that follows counts as a request too
      await this.#transport.waitForTurn(signal);
      return address;
    };
    const total = most === Infinity ? undefined : this.#transport.total;
    const pause = (ms: number): void => this.#transport.blockFor(ms);
    return fetchOutputFile({ hash, newAddress, begin, pause, most, total, signal });
  }

  /** The output of a failed run; undefined if the service does not offer it. */
  getRunLog(versionId: string, runId: string, signal?: AbortSignal): Promise<RunLog | undefined> {
    return this.#callExtension('getRunLog', { params: { versionId, runId }, signal });
  }

  /** @returns the hash of the stored file */
  uploadFile(content: Uint8Array, signal?: AbortSignal): Promise<string> {
    return this.#call('uploadFile', { body: content, signal });
  }

  checkFile(hash: string, signal?: AbortSignal): Promise<boolean> {
    return this.#call('checkFile', { query: { hash }, signal });
  }

  /** Why a run has failed, by the message of its state. */
  reasonOf(message: string | null): string {
    return this.redacted(reasonIn(message), LONGEST_REASON);
  }

  /** A text of the service, without the key and without signed addresses. */
  redacted(text: string, most: number): string {
    return this.#transport.redacted(text, most);
  }

  /** Calls an endpoint outside the specification; undefined if the service does not offer it. */
  async #callExtension<Name extends keyof typeof extensions>(
    name: Name,
    options: CallOptions,
  ): Promise<z.output<(typeof allEndpoints)[Name]['response']> | undefined> {
    try {
      return await this.#call(name, options);
    } catch (error) {
      if (lacksExtension(error)) return undefined;
      throw error;
    }
  }

  /** Calls an endpoint. Rejects if its answer is not as specified. */
  async #call<Name extends AnyEndpointName>(
    name: Name,
    options: CallOptions,
  ): Promise<z.output<(typeof allEndpoints)[Name]['response']>> {
    const endpoint: Endpoint = allEndpoints[name];
    const answer = await this.#ask(name, endpoint, options);
    const parsed = endpoint.response.safeParse(knownStatuses(answer ?? null));
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      throw new CloudError(
        'malformed',
        `${endpoint.method} ${endpoint.path}: the answer is not as specified${issue ? ` (${issue.path.map(String).join('.')}: ${issue.message})` : ''}`,
      );
    }
    return parsed.data as z.output<(typeof allEndpoints)[Name]['response']>;
  }

  /**
   * Requests an endpoint in its current spelling. If the service does not know this spelling, tries the older spelling
   * once.
   */
  async #ask(name: AnyEndpointName, endpoint: Endpoint, options: CallOptions): Promise<unknown> {
    const { older } = endpoint;
    if (!older) return this.#send(endpoint, options);
    if (this.#older.has(name)) return this.#send(older, options);
    try {
      const answer = await this.#send(endpoint, options);
      this.#current.add(name);
      return answer;
    } catch (error) {
      if (this.#current.has(name) || !isUnknownThere(error)) throw error;
      const answer = await this.#send(older, options).catch((failure: unknown) => {
        // only an answer shows that the service does not know the older spelling either
        const isAnswer = isCloudError(failure) && (failure.kind === 'malformed' || !failure.isRetryable);
        throw isAnswer ? error : failure;
      });
      this.#older.add(name);
      return answer;
    }
  }

  #send(
    { method, path }: Pick<Endpoint, 'method' | 'path'>,
    { params, query, body, signal, isStart }: CallOptions,
  ): Promise<unknown> {
    const request = {
      method,
      path: path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params?.[name] ?? '')),
      ...(query && { query }),
      ...(method === 'POST' && { body: body instanceof Uint8Array ? { bytes: body } : { json: body } }),
      signal,
      ...(isStart && { isStart }),
    };
    // the span has the pattern of the path, because the path itself may have a secret
    return inSpan(`${method} ${path}`, tracing?.current(), { side: 'client' }, () =>
      this.#transport.send(request),
    );
  }
}

/**
 * Replaces the status `ERROR` by `FAILED`. Some services send `ERROR` where the specification says `FAILED` (notes on
 * real clients).
 */
function knownStatuses(answer: unknown): unknown {
  const isError =
    typeof answer === 'object' && answer !== null && 'status' in answer && answer.status === 'ERROR';
  return isError ? { ...answer, status: 'FAILED' } : answer;
}
