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
  /** The last answer on each open connection; undefined before the first one. */
  const connections = new Map<Socket, ServerResponse | undefined>();
  app.server.on('connection', (socket: Socket) => {
    connections.set(socket, undefined);
    socket.once('close', () => connections.delete(socket));
  });
  app.server.on('request', ({ socket }, answer) => void connections.set(socket, answer));

  const look = (): void => {
    for (const [socket, answer] of connections) if (answer?.writableFinished ?? true) socket.destroy();
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
