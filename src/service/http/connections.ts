import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** While the service closes, how often connections on which nothing is asked are looked for, in milliseconds. */
const LOOK = 20;

/**
 * Ends the connections on which nothing is asked while the service closes. Node ends those that are idle when it begins, but waits
 * for all that become idle later, or have not said a whole request yet: browsers keep such in reserve.
 */
export function endUnusedConnections(app: FastifyInstance): void {
  const sockets = new Set<Socket>();
  /** The last answer on a connection. */
  const answers = new WeakMap<Socket, ServerResponse>();
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  app.server.on('request', ({ socket }, answer) => void answers.set(socket, answer));

  const look = (): void => {
    for (const socket of sockets) if (answers.get(socket)?.writableFinished ?? true) socket.destroy();
  };
  let timer: NodeJS.Timeout | undefined;
  app.addHook('preClose', (done) => {
    timer = setInterval(look, LOOK);
    done();
  });
  app.addHook('onClose', (_app, done) => {
    clearInterval(timer);
    done();
  });
}
