import { spawn } from 'node:child_process';
import { endWithParent } from './lifeline.ts';

/** This program runs the program that its arguments name, and ends that program when its own parent process ends. */

const [command, ...args] = process.argv.slice(2);
const child = spawn(command!, args, { stdio: ['ignore', 'inherit', 'inherit'] });
child.once('error', () => process.exit(1));
child.once('exit', (code) => process.exit(code ?? 1));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
endWithParent();
