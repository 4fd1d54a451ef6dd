import { createReadStream } from 'node:fs';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { AwsV4Signer } from 'aws4fetch';
import got from 'got';
import { PRESIGNED_SECONDS } from '../../api/constants.ts';
import { messageOf } from '../../errors.ts';
import type { UploadAddress } from './content-store.ts';
import type { S3Bucket, S3Credentials } from './s3-address.ts';

/** The store cannot be reached, or refuses a request. The message never contains a key or a pre-signed address. */
export class S3Fault extends Error {
  override readonly name = 'S3Fault';
  /**
   * The store's own code, such as NoSuchBucket, or the status of its answer; undefined if the store cannot be reached,
   * or answers with a status from `PASSING` on.
   */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/** A status from this number on means that the store is overloaded or has a fault, so a later attempt may succeed. */
const PASSING = 500;
/** In milliseconds. */
const TIMEOUT = { connect: 5_000, response: 30_000, socket: 60_000 };
/** The part of a query that says how long a pre-signed address is valid. */
const EXPIRY = { 'X-Amz-Expires': String(PRESIGNED_SECONDS) };

/** Signed requests for objects of a bucket: Signature Version 4, path style. */
export class S3Requests {
  readonly #bucket: S3Bucket;
  readonly #credentials: S3Credentials;
  readonly #now: () => number;
  #skew = 0;

  constructor(bucket: S3Bucket, credentials: S3Credentials, now: () => number) {
    this.#bucket = bucket;
    this.#credentials = credentials;
    this.#now = now;
  }

  /** How far the clock of this machine was ahead of the store's clock at the store's last answer, in milliseconds. */
  get skew(): number {
    return this.#skew;
  }

  /** @throws S3Fault */
  async has(key: string): Promise<boolean> {
    const { status, body } = await this.#send('HEAD', key);
    body.resume();
    return status !== 404;
  }

  /** The content of an object; undefined if there is none. @throws S3Fault */
  async get(key: string): Promise<Readable | undefined> {
    const { status, body } = await this.#send('GET', key);
    // got's own stream would copy the store's headers to the service's answer
    if (status !== 404) return pipeline(body, new PassThrough(), () => {});
    body.resume();
    return undefined;
  }

  /** Stores a file. The store accepts it only with this SHA-256, in hexadecimal digits. @throws S3Fault */
  async put(key: string, file: string, sha256: string): Promise<void> {
    const { size } = await stat(file);
    const headers = { ...checksum(sha256), 'x-amz-content-sha256': sha256 };
    const { status, body } = await this.#send('PUT', key, headers, { file, size });
    if (status === 404) throw await faultOf(status, body);
    body.resume();
  }

  /** An address of an object, valid for five minutes. `query` contains the wanted headers of the store's answer. */
  async address(key: string, query: Record<string, string>): Promise<string> {
    const { url } = await this.#sign('GET', key, { query: { ...query, ...EXPIRY } });
    return url;
  }

  /** An address, valid for five minutes, that takes only content with this SHA-256. */
  async uploadAddress(key: string, sha256: string): Promise<UploadAddress> {
    const headers = checksum(sha256);
    const { url } = await this.#sign('PUT', key, { query: EXPIRY, headers });
    return { url, headers };
  }

  async #send(
    method: 'GET' | 'HEAD' | 'PUT',
    key: string,
    given: Record<string, string> = {},
    upload?: { file: string; size: number },
  ): Promise<{ status: number; body: Readable }> {
    const { url, headers } = await this.#sign(method, key, { headers: given });
    const content = upload && upload.size > 0 ? createReadStream(upload.file) : undefined;
    const stream = got.stream(url, {
      method,
      headers: upload ? { ...headers, 'content-length': String(upload.size) } : headers,
      ...(upload && { body: content ?? '' }),
      decompress: false,
      throwHttpErrors: false,
      followRedirect: false,
      retry: { limit: 0 },
      timeout: TIMEOUT,
    });
    // the reader of the body gets a later error; without a reader, the error does not matter
    stream.on('error', () => undefined);
    let response: IncomingMessage;
    try {
      [response] = (await once(stream, 'response')) as [IncomingMessage];
    } catch (error) {
      throw new S3Fault(messageOf(error));
    } finally {
      // otherwise each failed attempt would leave a file open
      content?.destroy();
    }
    const status = response.statusCode!;
    const theirs = Date.parse(response.headers.date ?? '');
    if (!Number.isNaN(theirs)) this.#skew = this.#now() - theirs;
    if (status >= 300 && status !== 404) throw await faultOf(status, stream);
    return { status, body: stream };
  }

  async #sign(
    method: string,
    key: string,
    { query, headers = {} }: { query?: Record<string, string>; headers?: Record<string, string> },
  ): Promise<{ url: string; headers: Record<string, string> }> {
    const { url, region } = this.#bucket;
    const search = query ? `?${new URLSearchParams(query).toString()}` : '';
    const signed = await new AwsV4Signer({
      method,
      url: `${url}/${key}${search}`,
      headers,
      ...this.#credentials,
      region,
      service: 's3',
      signQuery: query !== undefined,
      datetime: new Date(this.#now()).toISOString().replace(/[:-]|\.\d{3}/g, ''),
    }).sign();
    return { url: signed.url.toString(), headers: Object.fromEntries(signed.headers) };
  }
}

function checksum(sha256: string): Record<string, string> {
  return { 'x-amz-checksum-sha256': Buffer.from(sha256, 'hex').toString('base64') };
}

/** The error in an answer. The answer to a HEAD has no body. */
async function faultOf(status: number, body: Readable): Promise<S3Fault> {
  const said = await text(body).catch(() => '');
  const code = /<Code>(\w+)<\/Code>/.exec(said)?.[1];
  return status >= PASSING
    ? new S3Fault(`it answers with status ${status}`)
    : new S3Fault(`it refuses a request with ${code ?? `status ${status}`}`, code ?? String(status));
}
