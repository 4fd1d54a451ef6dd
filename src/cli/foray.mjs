#!/usr/bin/env node
// The program `foray`, for whatever Node the shell finds first: foray needs Node 24. In a checkout npm installs it beside the
// other packages and puts it first on the path of npx and of npm's scripts. Plain JavaScript, so that an older Node can say so.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NEEDED = 24;
const fileAt = (path) => fileURLToPath(new URL(path, import.meta.url));
const installed = fileAt('../../node_modules/node/bin/node');
// the package has the built modules only
const isCheckout = existsSync(fileAt('main.ts'));

if (isCheckout && !existsSync(fileAt('../../node_modules/commander'))) {
  console.error('foray: nothing is installed here yet. Run "npm install" in the checkout first.');
  process.exitCode = 2;
} else if (Number(process.versions.node.split('.')[0]) >= NEEDED) {
  keepCompiled();
  await import(isCheckout ? './main.ts' : '../../dist/src/cli/main.js');
} else if (isCheckout && existsSync(installed)) {
  const child = spawn(installed, [fileAt('behind-older-node.mjs'), ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  // A Ctrl-C at the terminal reaches both, a signal to this process alone does not: behind-older-node.mjs tells them apart.
  process.on('SIGINT', () => child.kill('SIGUSR2'));
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.once('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' || signal === 'SIGUSR2' ? 130 : 1);
  });
} else {
  console.error(
    `foray: this is Node ${process.versions.node}; foray needs Node ${NEEDED} or newer: https://nodejs.org`,
  );
  process.exitCode = 2;
}

/**
 * What Node has compiled is kept, beside the Temporal server that was made: a command then starts in two thirds of the time. So do
 * the processes that it starts, which inherit the variable. Where nothing can be written, nothing is kept.
 */
function keepCompiled() {
  try {
    const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
    process.env.NODE_COMPILE_CACHE ||= join(cache, 'foray', 'compiled');
    module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  } catch {
    // a user of a container may have no home
  }
}
