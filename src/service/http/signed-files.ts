import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { rangeIn } from '../../http/range.ts';
import { attachment } from '../files/attachment.ts';
import { type DiskStore, filePath } from '../files/disk-store.ts';
import type { Presigner } from '../files/presign.ts';
import { ServiceError } from '../errors.ts';
import { reader } from './body.ts';

const Query = z.object({ filename: z.string(), expires: z.string(), signature: z.string() });

/**
 * How long the client of a download may take no data, in milliseconds. After each such time without a write, Node looks
 * how much data is unsent. It closes the connection if this is as much as at its last look or after the last write.
 */
const STALLED = 15_000;

/** Serves pre-signed addresses of files. */
export function addSignedFiles(app: FastifyInstance, disk: DiskStore, presigner: Presigner): void {
  app.get<{ Params: { hash: string } }>(filePath(':hash'), async (request, reply) => {
    const { hash } = request.params;
    const query = reader.query(Query, request.query);
    presigner.verify(hash, query);
    const size = await disk.sizeOf(hash);
    const range = rangeIn(request.headers.range, size);
    if (range === null) {
      throw new ServiceError('RANGE_REFUSED', `The file has only ${size} bytes.`, {
        'content-range': `bytes */${size}`,
      });
    }
    reply.raw.setTimeout(STALLED);
    if (range) {
      void reply.code(206).header('content-range', `bytes ${range.first}-${range.last}/${size}`);
    }
    return reply
      .header('accept-ranges', 'bytes')
      .header('content-disposition', attachment(query.filename))
      .header('content-length', range ? range.last - range.first + 1 : size)
      .header('x-content-type-options', 'nosniff')
      .type('application/octet-stream')
      .send(await disk.read(hash, range));
  });
}
