import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** How often a closing server looks for idle connections, ms. */
const LOOK = 20;

/**
 * Ends idle connections while the server closes. Node itself ends only connections that are idle when the close begins.
 * Node waits for connections that become idle later, or have not sent a whole request. Browsers keep such connections
 * in reserve.
 */
export function endUnusedConnections(app: FastifyInstance): void {
  const sockets = new Set<Socket>();
  /** The last answer on each connection. */
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
