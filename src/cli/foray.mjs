#!/usr/bin/env node
// The program `foray`, for any Node that the shell finds first. foray needs Node 24. In a checkout, npm installs Node
// 24 beside the other packages, and puts it first on the path of npx and of npm's scripts. This file is plain
// JavaScript, so that an older Node can run it and say what is missing.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const NEEDED = 24;
const fileAt = (path) => fileURLToPath(new URL(path, import.meta.url));
const installed = fileAt('../../node_modules/node/bin/node');
// the published package has the built modules in dist, and no TypeScript files beside this file
const isCheckout = existsSync(fileAt('main.ts'));

if (isCheckout && !existsSync(fileAt('../../node_modules/commander'))) {
  console.error('foray: nothing is installed here yet. Run "npm install" in the checkout first.');
  process.exitCode = 2;
} else if (Number(process.versions.node.split('.')[0]) >= NEEDED) {
  keepCompiled();
  await import(isCheckout ? './main.ts' : '../../dist/src/cli/main.js');
} else if (isCheckout && existsSync(installed)) {
  const child = spawn(installed, [fileAt('behind-older-node.mjs'), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
  });
  // A Ctrl-C at the terminal reaches both processes. A signal to this process does not reach the child.
  // behind-older-node.mjs distinguishes the two.
  const toChild = child.stdio[3];
  process.on('SIGINT', () => toChild.write('!'));
  // a write fails when the child has just exited, and nobody needs this error
  toChild.on('error', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.once('exit', (code, signal) => {
    process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 1);
  });
} else {
  console.error(
    `foray: this is Node ${process.versions.node}; foray needs Node ${NEEDED} or newer: https://nodejs.org`,
  );
  // the exit code for all faults of the machine (src/error-codes.ts)
  process.exitCode = 4;
}

/**
 * Commands start a third faster with Node's compile cache, `~/.cache/foray/compiled`. `NODE_COMPILE_CACHE` overrides
 * the folder. Child processes inherit the variable. Without a writable folder there is no cache.
 */
function keepCompiled() {
  try {
    const cache = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
    process.env.NODE_COMPILE_CACHE ||= join(cache, 'foray', 'compiled');
    module.enableCompileCache(process.env.NODE_COMPILE_CACHE);
  } catch {
    // the user of a container may have no home folder
  }
}
