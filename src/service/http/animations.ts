import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { API_VERSION } from '../../api/constants.ts';
import { pathOf } from '../../http/path.ts';
import { acceptText } from '../../http/text-bodies.ts';
import { ownFile } from '../../package/own-files.ts';
import { frameResource } from '../animation/resource.ts';
import { type Sessions, type Shown, unknownSession } from '../animation/sessions.ts';
import { notUtf8 } from './body.ts';
import type { Handlers } from './call.ts';
import type { ModelAccess } from './model-access.ts';
import { steering } from './steering.ts';

/**
 * The path of the page of an animated run. The commands for the run are below this path (docs/guides/animation.md). The
 * path is outside the root of the interface. The uuid of a session gives access without a key. Existing clients expect
 * these addresses (notes on real clients).
 */
export function sessionPath(uuid: string): string {
  return `/nodes/${uuid}/sessions/${uuid}`;
}

/** Removes the uuid of a session from a path, so that the path can be logged. */
export function withoutSession(path: string): string {
  return path.replace(/^\/nodes\/[^/]*(\/sessions\/)?[^/]*/, '/nodes/*/sessions/*');
}

/** The segments of an animated run's address. Both are uuids. There is only one node, so any uuid names it. */
interface Address {
  node: string;
  session: string;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Allows content of the service itself, and images with `data:` addresses. So a picture cannot load or run code. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'";

const playerFile = (name: string) => readFileSync(ownFile(`src/service/animation/player/${name}`), 'utf8');
const template = playerFile('player.html');
const page = playerFile('page.html').replace('<!-- player -->', () => template);
/** The files of the player, by the addresses where existing clients look for them, relative to the page. */
const assets = {
  '/standalone/assets/svg-template.html': { type: 'text/html; charset=utf-8', content: template },
  '/standalone/standalone.bundle.js': {
    type: 'text/javascript; charset=utf-8',
    content: playerFile('player.js'),
  },
  '/standalone/standalone.min.css': { type: 'text/css; charset=utf-8', content: playerFile('player.css') },
};

/** Adds the page of each animated run, its files, and the requests that draw and steer the run. */
export async function addAnimations(app: FastifyInstance, sessions: Sessions): Promise<void> {
  const prefix = '/nodes/:node/sessions/:session';
  await app.register(
    (scope, _options, done) => {
      // clients send values and arguments as text, with any Content-Type or with none
      acceptText(scope, notUtf8);
      scope.addHook('onSend', (_request, reply, _payload, done) => {
        void reply
          .header('cache-control', 'no-store')
          .header('referrer-policy', 'no-referrer')
          .header('x-content-type-options', 'nosniff');
        done();
      });

      // the header Location of a redirect repeats the session, so the session must be a uuid
      scope.addHook('onRequest', ({ params }, _reply, done) => {
        const { node, session } = params as Address;
        if (!UUID.test(node) || !UUID.test(session)) throw unknownSession();
        done();
      });

      scope.get('/', (request, reply) => {
        const { session } = request.params as Address;
        // the addresses in the page are relative to the address of the page, which therefore needs the final slash
        if (!pathOf(request.url).endsWith('/')) return reply.redirect(`${session}/`);
        return reply
          .code(sessions.has(session) ? 200 : 404)
          .header('content-security-policy', PAGE_POLICY)
          .type('text/html; charset=utf-8')
          .send(page);
      });
      for (const [path, { type, content }] of Object.entries(assets)) {
        scope.get(path, (_request, reply) => reply.type(type).send(content));
      }

      const add = (path: string, act: (shown: Shown, request: FastifyRequest) => unknown): void => {
        const handler = async (request: FastifyRequest, reply: FastifyReply) => {
          const result = await act(sessions.find((request.params as Address).session), request);
          return reply.type('application/json; charset=utf-8').send(JSON.stringify(result));
        };
        scope.route({ method: ['GET', 'POST'], url: path, logLevel: 'warn', handler });
      };
      add('/frame', async (shown) => frameResource(shown, await sessions.render(shown)));
      for (const [path, act] of Object.entries(steering)) add(path, act);
      done();
    },
    { prefix },
  );
}

export function animationHandlers(sessions: Sessions, modelAccess: ModelAccess): Handlers<'startAnimation'> {
  return {
    async startAnimation({ params, body, keyHash, root }) {
      // `root` may refuse the request. It is called first, because a run that the client cannot reach must not start
      const rootAddress = root();
      const { session, run, version, animation } = await sessions.start(params.versionId, body, () =>
        modelAccess.admits(keyHash, params.versionId),
      );
      return {
        animationHeight: animation.height,
        animationWidth: animation.width,
        animationSpeed: animation.speed,
        experimentRunId: run.id,
        modelUuid: version.modelId,
        sessionUuid: session.uuid,
        restUrl: `${session.uuid}/`,
        version: API_VERSION,
        bundleUrl: rootAddress + sessionPath(session.uuid),
      };
    },
  };
}
