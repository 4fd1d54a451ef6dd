import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { attachment } from '../files/attachment.ts';
import { type DiskStore, filePath } from '../files/disk-store.ts';
import type { ByteRange } from '../files/content-store.ts';
import type { Presigner } from '../files/presign.ts';
import { ServiceError } from '../errors.ts';
import { reader } from './body.ts';

const Query = z.object({ filename: z.string(), expires: z.string(), signature: z.string() });

/**
 * How long a client may read nothing of a file before its connection is checked, ms. A check compares the amount of
 * unsent data with the amount at the last check or after the last write, whichever was later. If both are equal, Node
 * closes the connection.
 */
const STALLED = 15_000;

/** Serves pre-signed addresses of files. */
export function addSignedFiles(app: FastifyInstance, disk: DiskStore, presigner: Presigner): void {
  app.get<{ Params: { hash: string } }>(filePath(':hash'), async (request, reply) => {
    const { hash } = request.params;
    const query = reader.query(Query, request.query);
    presigner.verify(hash, query);
    const size = await disk.sizeOf(hash);
    const range = rangeOf(request.headers.range, size);
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

/**
 * The part of a file that a header Range requests (RFC 9110, 14.1.2). Undefined means the whole file. The result is
 * also undefined for several parts, other units and invalid ranges, because a server may ignore all of these.
 *
 * @param size - of the file, in bytes
 * @throws ServiceError RANGE_REFUSED if the file has no byte of that part
 */
function rangeOf(header: string | undefined, size: number): ByteRange | undefined {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '') ?? [];
  if (from === '' && to === '') return undefined;
  if (from !== '' && to !== '' && Number(to) < Number(from)) return undefined;
  // without a first byte, the second number is the number of bytes from the end
  const first = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const last = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  if (first > last) {
    throw new ServiceError('RANGE_REFUSED', `The file has only ${size} bytes.`, {
      'content-range': `bytes */${size}`,
    });
  }
  return { first, last };
}
