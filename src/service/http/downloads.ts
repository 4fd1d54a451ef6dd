import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { ContentFiles } from '../files/content.ts';
import type { Presigner } from '../files/presign.ts';
import { readQuery } from './body.ts';

const Query = z.object({ filename: z.string(), expires: z.string(), signature: z.string() });

/**
 * How long a client may read nothing of a file before its connection is checked, ms. Node closes it at the second check
 * that finds the same amount unsent.
 */
const STALLED = 15_000;

/** Path of a file's pre-signed address, outside the root of the interface: it needs no key. */
export function downloadPath(hash: string): string {
  return `/files/${hash}`;
}

/** Serves pre-signed addresses. */
export function addDownloads(app: FastifyInstance, files: ContentFiles, presigner: Presigner): void {
  app.get<{ Params: { hash: string } }>(downloadPath(':hash'), async (request, reply) => {
    const { hash } = request.params;
    const query = readQuery(Query, request.query);
    presigner.verify(hash, query);
    await files.require(hash);
    const file = files.pathOf(hash);
    const name = headerText(path.basename(query.filename));
    reply.raw.setTimeout(STALLED);
    return reply
      .header('content-disposition', `attachment; filename*=UTF-8''${name}`)
      .header('content-length', (await stat(file)).size)
      .header('x-content-type-options', 'nosniff')
      .type('application/octet-stream')
      .send(createReadStream(file));
  });
}

/** A text as the value of a header parameter (RFC 8187). Quotes, line breaks and similar characters are encoded. */
function headerText(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
