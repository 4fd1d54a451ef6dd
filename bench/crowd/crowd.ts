import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Attack, Clients, Seen } from './attack.ts';

/**
 * A process with many clients of one server. Each message is an attack; the answer says what the clients have seen. The
 * process is separate, so that its clients do not delay the client that is measured.
 */

/** How many clients log in at the same time. */
const AT_ONCE = 8;
/** Slow clients send a byte at this interval, ms. */
const EVERY = 1_000;

process.on('message', (attack: Attack) => {
  void crowd(attack).then(
    (seen) => process.send!(seen),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});

async function crowd({ origin, slow, streams, logins, large, seconds }: Attack): Promise<Seen> {
  const end = performance.now() + 1_000 * seconds;
  const agent = new Agent();
  const sockets = Array.from({ length: slow.count }, () => slowSocket(origin, slow));
  const drip = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write('k');
  }, EVERY);
  const statuses = { streams: [] as number[], logins: [] as number[], large: [] as number[] };
  const open = Promise.all(
    Array.from({ length: streams.count }, async () =>
      statuses.streams.push(await statusOf(origin, streams, agent)),
    ),
  );
  let left = logins.count;
  const loginAgent = new Agent({ keepAlive: true });
  const logIn = async (): Promise<void> => {
    while (left-- > 0) statuses.logins.push(await statusOf(origin, logins, loginAgent));
  };
  const loggedIn = Promise.all(Array.from({ length: AT_ONCE }, logIn));
  statuses.large.push(await statusOf(origin, large, agent));
  await Promise.all([open, loggedIn]);
  await delay(Math.max(0, end - performance.now()));
  clearInterval(drip);
  const held = sockets.filter((socket) => !socket.destroyed).length;
  for (const socket of sockets) socket.destroy();
  agent.destroy();
  loginAgent.destroy();
  return { held, ...statuses };
}

/** Opens a connection that begins a body and never ends it. */
function slowSocket(origin: string, { method, path, headers }: Clients): net.Socket {
  const { hostname, port, host } = new URL(origin);
  const lines = Object.entries({ host, ...headers, 'content-length': '10000' });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const socket = net.connect(Number(port), hostname);
  socket.on('error', () => undefined).write(`${method} ${path} HTTP/1.1\r\n${head}\r\nk`);
  return socket;
}

/** Sends a request. Resolves to the status of its answer, which may stay open; 0 if the connection is closed before. */
async function statusOf(
  origin: string,
  { method, path, headers, body, bytes }: Clients,
  agent: Agent,
): Promise<number> {
  const sent = request(origin + path, { method, headers, agent });
  sent.on('error', () => undefined).end(bytes === undefined ? body : Buffer.alloc(bytes, '- a: &a [1, 2]\n'));
  try {
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.on('error', () => undefined).resume();
    return answer.statusCode!;
  } catch {
    return 0;
  }
}
