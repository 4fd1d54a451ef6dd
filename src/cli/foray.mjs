#!/usr/bin/env node
// The program `foray`, for whatever Node the shell finds first: our TypeScript needs Node 24, which npm installs beside the
// other packages and puts first on the path of npx and of npm's scripts. Plain JavaScript, so that an older Node can say so.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const NEEDED = 24;
const here = new URL('.', import.meta.url);
const main = fileURLToPath(new URL('main.ts', here));
const installed = fileURLToPath(new URL('../../node_modules/node/bin/node', here));

if (!existsSync(new URL('../../node_modules/commander', here))) {
  console.error('foray: nothing is installed here yet. Run "npm install" in the checkout first.');
  process.exitCode = 2;
} else if (Number(process.versions.node.split('.')[0]) >= NEEDED) {
  await import('./main.ts');
} else if (existsSync(installed)) {
  const child = spawn(installed, [main, ...process.argv.slice(2)], { stdio: 'inherit' });
  // A Ctrl-C at the terminal reaches both; only what is sent to this process has to be passed on.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.once('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1);
  });
} else {
  console.error(`foray: this is Node ${process.versions.node}; foray needs Node ${NEEDED} or newer.`);
  process.exitCode = 2;
}
