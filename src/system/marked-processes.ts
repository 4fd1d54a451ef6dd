import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** How long a process that is about to end may take to do so, in milliseconds. */
const PATIENCE = 50;
/** The longest time to wait until killed processes are gone, in milliseconds. */
const LONGEST = 2_000;
/** The longest command of a process in a message, in characters. */
const SHOWN = 80;

/**
 * The processes that descend from a process with a mark in its environment, whatever group, session or parent they have
 * now. A descendant that has removed the mark is found if it was a child of a known one at an earlier search. Without
 * /proc, which only Linux has, none is found.
 */
export class MarkedProcesses {
  readonly #mark: string;
  readonly #root: number;
  #own = new Set<number>();
  #others = new Set<number>();

  /**
   * @param mark - a variable of the environment, as `NAME=value`
   * @param root - the process with the mark. It is not among those that are found
   */
  constructor(mark: string, root: number) {
    this.#mark = mark;
    this.#root = root;
  }

  /** The ids of the processes that run now. A process is looked at closely only when it is new. */
  find(): number[] {
    const pids = pidsNow().filter((pid) => pid !== this.#root);
    const news = pids.filter((pid) => !this.#own.has(pid) && !this.#others.has(pid));
    const own = new Set([
      ...pids.filter((pid) => this.#own.has(pid)),
      ...news.filter((pid) => this.#has(pid)),
    ]);
    // a process whose parent is new as well
    for (const pid of news) if (!own.has(pid) && own.has(parentOf(pid))) own.add(pid);
    this.#own = own;
    this.#others = new Set(pids.filter((pid) => !own.has(pid)));
    return [...own].filter(isAlive);
  }

  /**
   * Kills the processes that do not end by themselves within a moment, until none is left.
   *
   * @returns the commands of the killed processes
   */
  async end(): Promise<string[]> {
    if (this.find().length === 0) return [];
    await pause(PATIENCE);
    const left = this.find();
    const commands = left.map(commandOf);
    const until = performance.now() + LONGEST;
    for (let pids = left; pids.length > 0 && performance.now() < until; pids = this.find()) {
      for (const pid of pids) kill(pid);
      await pause(PATIENCE / 10);
    }
    return commands;
  }

  /** The memory of the processes, in bytes. */
  memory(): number {
    return this.find().reduce((sum, pid) => sum + memoryOf(pid), 0);
  }

  #has(pid: number): boolean {
    if (read(`/proc/${pid}/environ`).split('\0').includes(this.#mark)) return true;
    const parent = parentOf(pid);
    return parent === this.#root || this.#own.has(parent);
  }
}

function pidsNow(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** The fields of a process after its name, which may contain blanks and brackets: state, parent, … */
function fieldsOf(pid: number): string[] {
  const text = read(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function parentOf(pid: number): number {
  return Number(fieldsOf(pid)[1]);
}

/** Whether a process runs. A process that has ended stays in the list until its parent has noticed the end. */
function isAlive(pid: number): boolean {
  return !['', 'Z', 'X'].includes(fieldsOf(pid)[0]!);
}

function memoryOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) * 1024;
}

function commandOf(pid: number): string {
  const command = read(`/proc/${pid}/cmdline`).replace(/\0+$/, '').replaceAll('\0', ' ');
  return command.length > SHOWN ? `${command.slice(0, SHOWN)}…` : command;
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // it has ended, or another user runs it
  }
}

/** The text of a file in /proc; empty if its process has ended, or belongs to another user. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
