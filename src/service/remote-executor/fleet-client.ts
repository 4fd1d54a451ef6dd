import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import got, { HTTPError, type OptionsInit, RequestError } from 'got';
import { messageOf } from '../../errors.ts';
import type { UploadAddress } from '../files/content-store.ts';
import type { RemoteFiles } from '../files/run-files.ts';
import { isSystemError } from '../system-errors.ts';
import { type ClaimedRun, HolderClosed } from '../runs/feed.ts';
import {
  type Beat,
  type BeatAnswer,
  type Claim,
  EXECUTORS,
  type FetchedVersion,
  type FileAddress,
  type Hello,
  type Report,
  type Welcome,
} from '../fleet/protocol.ts';

/** The service refuses a request, or cannot be reached. The message never contains the key. */
export class ServiceFault extends Error {
  override readonly name = 'ServiceFault';
  /** The code of the service's error; undefined without an answer, or if the answer is not in the service's format. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/** Time limits, in milliseconds. */
const TIMEOUT = { connect: 10_000, response: 60_000, socket: 60_000 };
/**
 * The time limit of a beat, in milliseconds. It is shorter than that of other requests, because a beat is small, and a
 * missing answer to it shows that the executor is cut off.
 */
const BEAT_TIMEOUT = { request: 10_000 };
/** The options of a request without the key, which the file store must not get. */
const KEYLESS: OptionsInit = { timeout: TIMEOUT, retry: { limit: 0 } };
/** How long files pass through the service after the file store has failed, in milliseconds. */
const DETOUR = 60_000;

export class FleetClient implements RemoteFiles {
  readonly #root: string;
  readonly #options: OptionsInit;
  /** The time of `performance.now` until which files pass through the service; Infinity if there is no file store. */
  #detourUntil = Infinity;

  /** @param url - the address of the service, with or without a path of the interface at its end */
  constructor(url: string, key: string) {
    this.#root = `${url.replace(/\/api\/open\/[^/]*\/?$/, '').replace(/\/$/, '')}${EXECUTORS}`;
    this.#options = { ...KEYLESS, headers: { authorization: key } };
  }

  async hello(name: string, hello: Hello): Promise<Welcome> {
    const welcome = await this.#post<Welcome>(`/hello/${encodeURIComponent(name)}`, hello);
    if (!welcome.hasStore) this.#detourUntil = Infinity;
    else if (this.#detourUntil === Infinity) this.#detourUntil = 0;
    return welcome;
  }

  async leave(name: string): Promise<void> {
    await this.#send(() => got.delete(`${this.#root}/hello/${encodeURIComponent(name)}`, this.#options));
  }

  /** @throws HolderClosed, ServiceFault */
  async claim(claim: Claim): Promise<ClaimedRun[]> {
    return (await this.#post<{ runs: ClaimedRun[] }>('/claim', claim)).runs;
  }

  async report(report: Report): Promise<void> {
    await this.#post('/report', report);
  }

  beat(beat: Beat): Promise<BeatAnswer> {
    return this.#post('/beat', beat, { ...this.#options, timeout: BEAT_TIMEOUT });
  }

  version(id: string): Promise<FetchedVersion> {
    return this.#get(`/versions/${id}`);
  }

  /**
   * Writes a file of a version to `file`.
   *
   * @throws ServiceFault, or a system error if the file cannot be written
   */
  async fetchCode(hash: string, file: string): Promise<void> {
    await this.#send(() => download(`${this.#root}/code/${hash}`, file, this.#options));
  }

  /**
   * Writes a file of a client or a run to `file`.
   *
   * @throws ServiceFault, or a system error if the file cannot be written
   */
  async fetch(hash: string, file: string): Promise<void> {
    const isFetched = await this.#withStore(async () => {
      const { url } = await this.#get<FileAddress>(`/files/${hash}/address`);
      return () => download(url, file, KEYLESS);
    });
    if (!isFetched) await this.#send(() => download(`${this.#root}/files/${hash}`, file, this.#options));
  }

  /** Uploads a file under its hash. @throws ServiceFault, or a system error if the file cannot be read */
  async upload(hash: string, file: string): Promise<void> {
    const isUploaded = await this.#withStore(async () => {
      const { url, headers } = await this.#get<UploadAddress>(`/files/${hash}/upload-address`);
      return () => upload(url, file, { ...KEYLESS, headers });
    });
    if (!isUploaded) await this.#send(() => upload(`${this.#root}/files/${hash}`, file, this.#options));
  }

  /**
   * Sends a file to the file store, or gets it from there. Returns false if there is no file store, if the transfer
   * fails, or if a transfer has failed in the last minute.
   *
   * @param prepare - requests an address from the service, and returns the function that transfers the file
   */
  async #withStore(prepare: () => Promise<() => Promise<void>>): Promise<boolean> {
    if (performance.now() < this.#detourUntil) return false;
    const transfer = await prepare();
    try {
      await transfer();
      return true;
    } catch {
      // this error is not reported, because it contains the signed address. The caller then transfers the file through
      // the service. If this also fails, the service says why
      this.#detourUntil = performance.now() + DETOUR;
      return false;
    }
  }

  async #post<T>(path: string, body: object, options = this.#options): Promise<T> {
    return parsed(await this.#send(() => got.post(this.#root + path, { ...options, json: body }).text()));
  }

  async #get<T>(path: string): Promise<T> {
    return parsed(await this.#send(() => got.get(this.#root + path, this.#options).text()));
  }

  async #send<T>(request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      throw faultOf(error);
    }
  }
}

/** The object in an answer. A proxy may answer with a page of its own. */
function parsed<T>(text: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // the error of the parser would not say that this is an answer
  }
  if (typeof value === 'object' && value !== null) return value as T;
  throw new ServiceFault(
    `the service answers with ${/^\s*</.test(text) ? 'HTML instead of JSON' : 'text that is not a JSON object'}`,
  );
}

async function download(url: string, file: string, options: OptionsInit): Promise<void> {
  await pipeline(got.stream(url, options), createWriteStream(file));
}

/** Uploads a file with its length, because a file store accepts only uploads of a known length. */
async function upload(url: string, file: string, { headers, ...options }: OptionsInit): Promise<void> {
  const { size } = await stat(file);
  const content = size > 0 ? createReadStream(file) : undefined;
  try {
    await got.put(url, {
      ...options,
      headers: { ...headers, 'content-length': String(size) },
      body: content ?? '',
    });
  } finally {
    // otherwise each failed attempt would leave a file open
    content?.destroy();
  }
}

/**
 * Converts an error of the HTTP library, because that error contains the key. Returns other system errors unchanged.
 */
function faultOf(error: unknown): Error {
  if (isSystemError(error) && !(error instanceof RequestError)) return error as Error;
  if (!(error instanceof HTTPError))
    return new ServiceFault(`the service does not answer: ${messageOf(error)}`);
  const { statusCode, body } = error.response as { statusCode: number; body: unknown };
  let said = '';
  try {
    const { code, message } = JSON.parse(String(body)) as { code?: unknown; message?: string };
    if (code === 'HOLDER_CLOSED') return new HolderClosed(message);
    if (typeof message === 'string' && typeof code === 'string') return new ServiceFault(message, code);
    if (typeof message === 'string') said = `: ${message}`;
  } catch {
    // the body is not in the format of the service
  }
  return new ServiceFault(`the service answers with status ${statusCode}${said}`);
}
