import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import got, { HTTPError, type OptionsInit, RequestError } from 'got';
import { messageOf } from '../../errors.ts';
import { isSystemError } from '../system-errors.ts';
import { HolderClosed } from '../runs/feed.ts';
import {
  type Beat,
  type BeatAnswer,
  type Claim,
  EXECUTORS,
  type FetchedVersion,
  type Hello,
  type Report,
  type Welcome,
} from '../fleet/protocol.ts';
import type { ClaimedRun } from '../runs/feed.ts';

/** The service refuses a request, or cannot be reached. The key is never in its message. */
export class ServiceFault extends Error {
  override readonly name = 'ServiceFault';
  /** The code of the service's error; undefined when it did not answer in its own words. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

const TIMEOUT = { connect: 10_000, response: 60_000, socket: 60_000 };

/** The requests of an executor to its service. */
export class NodeClient {
  readonly #root: string;
  readonly #options: OptionsInit;

  /** @param url - the address of the service; a path of the interface at its end is left out */
  constructor(url: string, key: string) {
    this.#root = `${url.replace(/\/api\/open\/[^/]*\/?$/, '').replace(/\/$/, '')}${EXECUTORS}`;
    this.#options = { headers: { authorization: key }, timeout: TIMEOUT, retry: { limit: 0 } };
  }

  hello(machine: string, hello: Hello): Promise<Welcome> {
    return this.#post(`/hello/${encodeURIComponent(machine)}`, hello);
  }

  async leave(machine: string): Promise<void> {
    await this.#send(() => got.delete(`${this.#root}/hello/${encodeURIComponent(machine)}`, this.#options));
  }

  /** @throws HolderClosed */
  async claim(claim: Claim): Promise<ClaimedRun[]> {
    return (await this.#post<{ runs: ClaimedRun[] }>('/claim', claim)).runs;
  }

  async report(report: Report): Promise<void> {
    await this.#post('/report', report);
  }

  beat(beat: Beat): Promise<BeatAnswer> {
    return this.#post('/beat', beat);
  }

  async release(holder: string): Promise<void> {
    await this.#post('/release', { holder });
  }

  async version(id: string): Promise<FetchedVersion> {
    const text = await this.#send(() => got.get(`${this.#root}/versions/${id}`, this.#options).text());
    return JSON.parse(text) as FetchedVersion;
  }

  /** Writes a file of a client, or of a version, to `file`. @throws ServiceFault; Error of the system if it cannot be written */
  async fetch(kind: 'files' | 'code', hash: string, file: string): Promise<void> {
    await this.#send(() =>
      pipeline(got.stream(`${this.#root}/${kind}/${hash}`, this.#options), createWriteStream(file)),
    );
  }

  /** Uploads a file to its hash. */
  async upload(hash: string, file: string): Promise<void> {
    await this.#send(() =>
      got.put(`${this.#root}/files/${hash}`, { ...this.#options, body: createReadStream(file) }),
    );
  }

  async #post<T>(path: string, body: object): Promise<T> {
    const text = await this.#send(() => got.post(this.#root + path, { ...this.#options, json: body }).text());
    return JSON.parse(text) as T;
  }

  async #send<T>(request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      throw faultOf(error);
    }
  }
}

/** Errors of the library contain the key. */
function faultOf(error: unknown): Error {
  if (isSystemError(error) && !(error instanceof RequestError)) return error as Error;
  if (!(error instanceof HTTPError))
    return new ServiceFault(`the service does not answer: ${messageOf(error)}`);
  const { statusCode, body } = error.response as { statusCode: number; body: unknown };
  try {
    const { code, message } = JSON.parse(String(body)) as { code?: string; message?: string };
    if (code === 'HOLDER_CLOSED') return new HolderClosed(message);
    if (typeof message === 'string') return new ServiceFault(message, code);
  } catch {
    // not in the words of a service
  }
  return new ServiceFault(`the service answers with status ${statusCode}`);
}
