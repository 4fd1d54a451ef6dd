import { spawn } from 'node:child_process';
import { endWithParent } from './lifeline.ts';

/** Runs the program that the arguments name, and ends that program when the parent process (`foray dev`) ends. */

const [command, ...args] = process.argv.slice(2);
const child = spawn(command!, args, { stdio: ['ignore', 'inherit', 'inherit'] });
child.once('error', () => process.exit(1));
child.once('exit', (code) => process.exit(code ?? 1));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
endWithParent();
