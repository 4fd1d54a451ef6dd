import type { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import type { z } from 'zod';
import { acceptText, textOf } from '../../http/text-bodies.ts';
import { ServiceError } from '../errors.ts';
import type { Fleet } from '../fleet/fleet.ts';
import { Beat, Claim, EXECUTORS, type FileAddress, Hello, Report } from '../fleet/protocol.ts';
import { mayDo } from '../../keys/roles.ts';
import type { Access } from '../access.ts';
import { acceptBytes, notUtf8, reader } from './body.ts';
import { keyHashIn } from './hooks/auth.ts';
import type { KeyChecks } from '../../http/key-checks.ts';
import type { KeylessConnections } from '../../http/keyless.ts';

/** The largest report, in bytes. An executor sends its outputs in smaller reports. */
const MOST_REPORTED = 64 * 2 ** 20;

/**
 * The requests of executors on other machines. They are not part of the interface, and executors have their own keys.
 */
export async function addExecutors(
  app: FastifyInstance,
  {
    access,
    fleet,
    keyChecks,
    keyless,
    upload,
  }: { access: Access; fleet: Fleet; keyChecks: KeyChecks; keyless: KeylessConnections; upload: number },
): Promise<void> {
  const executorOf = (request: FastifyRequest): string | undefined => {
    const holder = access.holderOf(keyHashIn(request) ?? '');
    return mayDo(holder?.role, 'executor') ? holder!.name : undefined;
  };
  const nameOf = (request: FastifyRequest): string => {
    const name = executorOf(request);
    if (name === undefined) throw new ServiceError('KEY_REFUSED', 'The key is not the key of an executor.');
    return name;
  };
  const requireExecutorKey: onRequestHookHandler = (request, reply, done) => {
    nameOf(request);
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
      post('/hello/:machine', Hello, (hello, request) => fleet.greet(machineOf(request), hello));
      post('/claim', Claim, (claim, request) => fleet.claim(nameOf(request), claim));
      post('/report', Report, (report) => fleet.report(report));
      post('/beat', Beat, (beat) => fleet.beat(beat));
      scope.delete('/hello/:machine', async (request) => {
        await fleet.leave(machineOf(request));
        return {};
      });
      scope.get('/versions/:id', (request) => fleet.version((request.params as { id: string }).id));
      scope.get('/files/:hash/address', async (request): Promise<FileAddress> => {
        const { hash } = request.params as { hash: string };
        return { url: await fleet.files.address({ hash, filename: hash }, '') };
      });
      scope.get('/files/:hash/upload-address', (request) =>
        fleet.files.uploadAddress?.((request.params as { hash: string }).hash),
      );
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
        const { hash } = request.params as { hash: string };
        await fleet.files.store((request.body ?? request.raw) as Readable, upload, hash);
        return {};
      });
      done();
    },
    { prefix: EXECUTORS },
  );
}

function machineOf({ params }: FastifyRequest): string {
  return (params as { machine: string }).machine;
}

function sendFrom(scope: FastifyInstance, path: string, open: (hash: string) => Promise<Readable>): void {
  scope.get(path, async (request, reply) => {
    const { hash } = request.params as { hash: string };
    return reply.type('application/octet-stream').send(await open(hash));
  });
}
