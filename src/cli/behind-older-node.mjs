// An older Node that runs foray.mjs starts this file in a newer Node, and this file runs foray. The parent writes a
// byte for each SIGINT that it gets. A Ctrl-C at the terminal reaches this process too; a SIGINT to the parent alone
// does not reach it. The signal and the byte may come in either order, so this file counts both, and hides the second
// of each pair from foray's listeners. The parent sends no signal, because a signal could kill this process while it
// exits. The parent sends no IPC message, because foray takes a parent with an IPC channel for `foray dev`.
import { Socket } from 'node:net';

/** The file descriptor from which the parent's bytes come. */
const PARENT = 3;
/** The numbers of SIGINTs and of bytes so far. The first SIGINT and the first byte are a pair, and so on. */
let signals = 0;
let bytes = 0;
const emit = process.emit;

process.emit = function (event, ...rest) {
  if (event !== 'SIGINT') return emit.call(this, event, ...rest);
  signals += 1;
  const isSecondOfPair = signals <= bytes;
  return isSecondOfPair || interrupt();
};
new Socket({ fd: PARENT })
  .on('data', (chunk) => {
    for (let at = 0; at < chunk.length; at += 1) takeByte();
  })
  .unref();
// Node catches SIGINT only when SIGINT has a listener
process.on('SIGINT', endWhereNobodyListens);

function takeByte() {
  bytes += 1;
  if (bytes > signals) interrupt();
}

function interrupt() {
  return emit.call(process, 'SIGINT', 'SIGINT');
}

/** Without a listener of foray, the signal ends the process, as it would without this file. */
function endWhereNobodyListens() {
  if (process.listenerCount('SIGINT') > 1) return;
  process.off('SIGINT', endWhereNobodyListens);
  process.kill(process.pid, 'SIGINT');
}

await import('./foray.mjs');
