import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { z } from 'zod';
import type { KeyChecks } from '../../http/key-checks.ts';
import type { KeylessConnections } from '../../http/keyless.ts';
import { acceptText, textOf } from '../../http/text-bodies.ts';
import { mayDo } from '../../keys/roles.ts';
import type { Access } from '../access.ts';
import { ServiceError } from '../errors.ts';
import type { Fleet } from '../fleet/fleet.ts';
import { Beat, Claim, EXECUTORS, type FileAddress, Hello, Report } from '../fleet/protocol.ts';
import { acceptBytes, notUtf8, reader } from './body.ts';
import { keyHashIn } from './hooks/auth.ts';

/** The largest report, in bytes. An executor sends its outputs in smaller reports. */
const MOST_REPORTED = 64 * 2 ** 20;

interface ExecutorParts {
  access: Access;
  fleet: Fleet;
  keyChecks: KeyChecks;
  keyless: KeylessConnections;
  /** The maximum size of a file, in bytes. */
  upload: number;
}

/**
 * Adds the requests of executors on other machines. They are not part of the interface, and executors have their own
 * keys.
 */
export async function addExecutors(
  app: FastifyInstance,
  { access, fleet, keyChecks, keyless, upload }: ExecutorParts,
): Promise<void> {
  const executorOf = (request: FastifyRequest): string | undefined => {
    const holder = access.holderOf(keyHashIn(request) ?? '');
    return mayDo(holder?.role, 'executor') ? holder!.name : undefined;
  };
  const keyNameOf = (request: FastifyRequest): string => {
    const name = executorOf(request);
    if (name === undefined) throw new ServiceError('KEY_REFUSED', 'The key is not the key of an executor.');
    return name;
  };
  const requireExecutorKey: onRequestHookHandler = (request, reply, done) => {
    keyNameOf(request);
    keyless.release(request.raw.socket);
    keyChecks.watch(reply.raw, () => executorOf(request) !== undefined);
    done();
  };
  await app.register(
    (scope, _options, done) => {
      acceptText(scope, notUtf8);
      scope.addHook('onRequest', requireExecutorKey);
      const post = <S extends z.ZodType>(
        path: string,
        schema: S,
        handle: (body: z.output<S>, request: FastifyRequest) => Promise<unknown>,
      ) =>
        scope.post(path, { bodyLimit: MOST_REPORTED }, async (request) => {
          const body = reader.json(schema, textOf(request), 'body');
          return (await handle(body, request)) ?? {};
        });
      post('/hello/:machine', Hello, (hello, request) => fleet.greet(executorNameIn(request), hello));
      post('/claim', Claim, (claim, request) => fleet.claim(keyNameOf(request), claim));
      post('/report', Report, (report) => fleet.report(report));
      post('/beat', Beat, (beat) => fleet.beat(beat));
      scope.delete('/hello/:machine', async (request) => {
        await fleet.leave(executorNameIn(request));
        return {};
      });
      scope.get('/versions/:id', (request) => fleet.version((request.params as { id: string }).id));
      scope.get('/files/:hash/address', async (request): Promise<FileAddress> => {
        const hash = hashIn(request);
        return { url: await fleet.files.address({ hash, filename: hash }, '') };
      });
      scope.get('/files/:hash/upload-address', (request) => fleet.files.uploadAddress?.(hashIn(request)));
      sendFrom(scope, '/files/:hash', (hash) => fleet.files.read(hash));
      sendFrom(scope, '/code/:hash', (hash) => fleet.code.read(hash));
      done();
    },
    { prefix: EXECUTORS },
  );
  await app.register(
    (scope, _options, done) => {
      acceptBytes(scope, upload);
      scope.addHook('onRequest', requireExecutorKey);
      scope.put('/files/:hash', async (request) => {
        await fleet.files.store((request.body ?? request.raw) as Readable, upload, hashIn(request));
        return {};
      });
      done();
    },
    { prefix: EXECUTORS },
  );
}

function executorNameIn({ params }: FastifyRequest): string {
  return (params as { machine: string }).machine;
}

function hashIn({ params }: FastifyRequest): string {
  return (params as { hash: string }).hash;
}

function sendFrom(scope: FastifyInstance, path: string, open: (hash: string) => Promise<Readable>): void {
  scope.get(path, async (request, reply) =>
    reply.type('application/octet-stream').send(await open(hashIn(request))),
  );
}
