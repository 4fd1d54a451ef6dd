import { createReadStream, existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { rangeIn } from '../../http/range.ts';
import { ServerError } from '../server-error.ts';
import { hasTag } from './etag.ts';

/** How long a file is kept after its last request, ms. */
const KEPT_MS = 600_000;
/** Maximum number of files that are kept, besides those that are being written. */
const MOST = 8;

/** A file with everything that a range request needs. */
export interface KeptFile {
  path: string;
  size: number;
  etag: string;
}

/** A file that is kept or being written. */
interface Entry {
  file: Promise<KeptFile>;
  /** Removes the file after its time; undefined while the file is being written. */
  timer: NodeJS.Timeout | undefined;
  /** The number of requests that have asked for the file, and have not gone. */
  wanted: number;
  /** Aborts when all of them have gone while the file is being written. */
  unwanted: AbortController;
}

type Write = (path: string, gone: AbortSignal) => Promise<unknown>;

/**
 * Files that are written once and read in ranges. A client that reads Parquet over HTTP first requests the size of the
 * file, and then parts of it. All parts must come from the same file.
 */
export class KeptFiles {
  #folder: Promise<string> | undefined;
  /** By tag, the file that was requested longest ago first. */
  readonly #files = new Map<string, Entry>();
  /** The number of files so far, which makes the names of new files. */
  #count = 0;

  /**
   * Returns the file with an entity tag. If there is no such file, `write` writes it.
   *
   * @param write - writes the file at the given path. Its signal aborts when all requests for the file have gone
   * @param gone - aborts when the request has gone
   */
  async get(etag: string, write: Write, gone?: AbortSignal): Promise<KeptFile> {
    const known = this.#files.get(etag);
    if (known) {
      this.#want(etag, known, gone);
      known.timer?.refresh();
      // at the end of the order
      this.#files.delete(etag);
      this.#files.set(etag, known);
      const file = await known.file;
      // a cleaner of temporary files may have removed it
      if (existsSync(file.path)) return file;
      this.#forget(etag, known);
    }
    const unwanted = new AbortController();
    const file = this.#write(etag, (path) => write(path, unwanted.signal));
    const kept: Entry = { file, timer: undefined, wanted: 0, unwanted };
    this.#files.set(etag, kept);
    this.#want(etag, kept, gone);
    file.then(
      () => {
        if (this.#files.get(etag) !== kept) return;
        kept.timer = setTimeout(() => this.#forget(etag, kept), KEPT_MS).unref();
        this.#dropOldest();
      },
      // after a failure the next request tries again
      () => this.#forget(etag, kept),
    );
    return file;
  }

  /** Counts a request until it has gone. A file that is being written and that nobody waits for is given up. */
  #want(etag: string, kept: Entry, gone?: AbortSignal): void {
    kept.wanted += 1;
    const leave = (): void => {
      kept.wanted -= 1;
      if (kept.wanted > 0 || kept.timer !== undefined) return;
      kept.unwanted.abort();
      // the next request begins anew
      this.#forget(etag, kept);
    };
    if (gone?.aborted) leave();
    else gone?.addEventListener('abort', leave, { once: true });
  }

  async close(): Promise<void> {
    for (const { timer } of this.#files.values()) clearTimeout(timer);
    this.#files.clear();
    const folder = await this.#folder?.catch(() => undefined);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }

  async #write(etag: string, write: (path: string) => Promise<unknown>): Promise<KeptFile> {
    const path = join(await this.#folderNow(), String((this.#count += 1)));
    try {
      await write(path);
      const { size } = await stat(path);
      return { path, size, etag };
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  }

  /** The folder of the files. It is made again if it is gone. */
  async #folderNow(): Promise<string> {
    const known = await this.#folder?.catch(() => undefined);
    if (known === undefined || !existsSync(known)) this.#folder = mkdtemp(join(tmpdir(), 'foray-results-'));
    return this.#folder!;
  }

  #dropOldest(): void {
    const written = [...this.#files].filter(([, { timer }]) => timer !== undefined);
    for (const [etag, kept] of written.slice(0, Math.max(0, written.length - MOST))) this.#forget(etag, kept);
  }

  /** Removes a file. An answer that is being sent from the file goes on, because the answer has the file open. */
  #forget(etag: string, known: Entry): void {
    if (this.#files.get(etag) !== known) return;
    this.#files.delete(etag);
    clearTimeout(known.timer);
    known.file.then(({ path }) => rm(path, { force: true })).catch(() => undefined);
  }
}

/** Sends a file, or the requested range of it (RFC 9110, 14). */
export function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { path, size, etag }: KeptFile,
): FastifyReply {
  const { headers, method } = request;
  void reply.headers({ etag, 'accept-ranges': 'bytes', 'cache-control': 'no-cache' });
  if (hasTag(headers['if-none-match'], etag)) return reply.code(304).send();
  const ifRange = headers['if-range'];
  const isSame = ifRange === undefined || hasTag(String(ifRange), etag);
  const range = isSame ? rangeIn(headers.range, size) : undefined;
  if (range === null) {
    throw new ServerError('RANGE_REFUSED', `The file has ${size} bytes.`, {
      headers: { 'content-range': `bytes */${size}` },
    });
  }
  const { first, last } = range ?? { first: 0, last: size - 1 };
  if (range) void reply.code(206).header('content-range', `bytes ${first}-${last}/${size}`);
  void reply.header('content-length', last - first + 1);
  return method === 'HEAD'
    ? reply.send(Readable.from([]))
    : reply.send(createReadStream(path, { start: first, end: last }));
}
