import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { KEY, onCleanup, startTestService } from '../support.ts';

const SOCKETS = 200;
/** In seconds of the clock below. */
const CLOSED_WITHIN = 30;
/** The time between two requests of the other client, in milliseconds. This client should not load the service. */
const PAUSE = 50;

/** Ways to waste a connection. Each way sends its text. The ways that never end then send one byte a second. */
const ways = {
  'says nothing': '',
  'asks once, without a key': 'GET /health HTTP/1.1\r\nHost: x\r\n\r\n',
  'never ends its head': 'GET /health HTTP/1.1\r\nHost: x\r\nX-Slow: ',
  'never ends a JSON body': `POST /api/open/8.5.0/models/name/ HTTP/1.1\r\nHost: x\r\nAuthorization: ${KEY}\r\nContent-Length: 100000\r\n\r\n"`,
  'never ends an upload': `POST /api/open/8.5.0/upload-file HTTP/1.1\r\nHost: x\r\nAuthorization: ${KEY}\r\nTransfer-Encoding: chunked\r\n\r\nfffff\r\n`,
  'never ends a body for an unknown address':
    'POST /nowhere HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n',
};

describe('slow connections', () => {
  test(`are closed within 30 s if there are ${SOCKETS} of them, and the service answers other clients meanwhile`, async () => {
    const lines: string[] = [];
    const service = await startTestService({ onProblem: (line) => lines.push(line) });
    const { port } = service.running;
    // the client and the service are in this process; this clock stands still when the machine stops the process
    let seconds = 0;
    const clock = setInterval(() => (seconds += 1), 1_000);
    onCleanup(() => clearInterval(clock));
    const texts = Object.entries(ways);
    const closed = Array.from({ length: SOCKETS }, async (_, at) => {
      const socket = net.connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.resume();
      onCleanup(() => void socket.destroy());
      await once(socket, 'connect');
      const began = seconds;
      const [way, text] = texts[at % texts.length]!;
      socket.write(text);
      const drip = setInterval(() => way.startsWith('never') && socket.writable && socket.write('x'), 1_000);
      // the service must also close the connection of a client that does not close its own side
      await once(socket, 'close');
      clearInterval(drip);
      return seconds - began;
    });
    let open = true;
    const all = Promise.all(closed).finally(() => (open = false));
    let served = 0;
    while (open) {
      const { status } = await service.get('/models');
      expect(status).toBe(200);
      served += 1;
      await pause(PAUSE);
    }
    const times = await all;
    expect(Math.max(...times)).toBeLessThan(CLOSED_WITHIN);
    // with pauses of 50 ms, a quick service answers about 17 requests a second
    expect(served).toBeGreaterThan(4 * seconds);
    expect(lines).toContain('a connection was closed: the body of its request came too slowly');
    expect(lines).toContain('a connection without a key was closed: it was idle for more than 10 s');
  });
});
