import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  statfsSync,
} from 'node:fs';
import { devNull } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** How long a process that is about to end may take to do so, in milliseconds. */
const PATIENCE = 50;
/** The longest time to wait until killed processes are gone, in milliseconds. */
const LONGEST = 2_000;
/** The time after which ids of processes may have been used again, in milliseconds. */
const LONG_AGO = 10_000;
/** The flag of a thread of the kernel, `PF_KTHREAD`. */
const OF_KERNEL = 0x20_0000;
/** The load of the machine, whose last word is the id that the system gave last to a process or thread. */
const LOAD = '/proc/loadavg';
/** The type of the file system of the kernel's own /proc, `PROC_SUPER_MAGIC`. Others may repeat an old load. */
const PROC = 0x9fa0;
const UNREADABLE = 'unreadable';
/** The indices of the fields that follow the name of a process in /proc/PID/stat (man page proc(5)). */
const [STATE, PARENT, TERMINAL, FLAGS, START] = [0, 1, 4, 6, 19] as const;
/** The number of the terminal of a process without one. */
const NO_TERMINAL = '0';
/** The longest command of a process in a message, in characters. */
const SHOWN = 80;

/**
 * The processes that descend from a process with a mark in its environment, whatever group, session or parent they have
 * now. A descendant without the mark is found if it was a child of a known one at an earlier search, or if it still
 * works in a folder of these processes. Without /proc, which only Linux has, none is found.
 */
export class MarkedProcesses {
  /** The folders in which only these processes work. */
  folders: readonly string[];
  readonly #mark: string;
  readonly #root: number;
  /** The processes, each with its start, because the system uses the id of an ended process again. */
  #own = new Map<number, string>();
  /** All other processes of the last search, which are not looked at again. */
  #others = new Set<number>();
  /** Processes without an environment. A process has none while it begins to run another program. */
  #unsure = new Set<number>();
  #searchedAt = -Infinity;
  /** The last id of the machine before the last search. */
  #lastId = NaN;
  /** Whether the last two searches had the same last id. A process gets its id a moment before it can be found. */
  #isSettled = false;

  /**
   * @param mark - a variable of the environment, as `NAME=value`
   * @param root - the process with the mark. It is not among those that are found
   * @param folders - the folders in which only these processes work
   */
  constructor(mark: string, root: number, folders: readonly string[] = []) {
    this.#mark = mark;
    this.#root = root;
    this.folders = folders;
  }

  /**
   * The ids of the processes that run now. A process is looked at closely only when it is new. If the machine has
   * started none since the last two searches, only the known ones are looked at.
   */
  find(): number[] {
    // read before the processes, so that a process that starts meanwhile is found by the next search
    const lastId = lastIdNow();
    const isSame = lastId === this.#lastId;
    const knowsAll = isSame && this.#isSettled;
    this.#lastId = lastId;
    this.#isSettled = isSame;
    return withDescriptor(() => this.#find(knowsAll));
  }

  /** @param knowsAll - whether the last search saw all processes that the machine has started */
  #find(knowsAll: boolean): number[] {
    const now = performance.now();
    // after a long time, other processes may have ids that were known
    if (now - this.#searchedAt > LONG_AGO) this.#others.clear();
    this.#searchedAt = now;
    const pids = knowsAll
      ? [...this.#own.keys(), ...this.#unsure]
      : pidsNow().filter((pid) => pid !== this.#root);
    const own = new Map<number, string>();
    for (const pid of pids) {
      const start = this.#own.get(pid);
      if (start !== undefined && startOf(pid) === start) own.set(pid, start);
    }
    const unknown = pids.filter((pid) => !own.has(pid) && !this.#others.has(pid));
    const unsure = new Set<number>();
    const folders = unknown.length > 0 ? this.folders.map(realPathOf) : [];
    // the ids ascend, so a parent usually comes before its children
    for (const pid of unknown) {
      const environment = environmentOf(pid);
      const isOwn = has(environment, this.#mark) || this.#isBelow(pid, own) || worksIn(pid, folders);
      if (isOwn) own.set(pid, startOf(pid));
      else if (environment === '' && isOfUser(pid)) unsure.add(pid);
    }
    this.#own = own;
    this.#unsure = unsure;
    if (!knowsAll) this.#others = new Set(pids.filter((pid) => !own.has(pid) && !unsure.has(pid)));
    return [...own.keys()].filter(isAlive);
  }

  /** Whether the last searches found no process, and the machine has started none since. */
  get areGone(): boolean {
    return this.#isSettled && this.#own.size + this.#unsure.size === 0 && lastIdNow() === this.#lastId;
  }

  /**
   * Kills the processes that do not end by themselves within a moment, until none is left.
   *
   * @param except - the ids of processes that stay
   * @returns the commands of the killed processes
   */
  async end(except: ReadonlySet<number> = new Set()): Promise<string[]> {
    if ((await this.#findSurely(except)).length === 0) return [];
    await pause(PATIENCE);
    let left = await this.#findSurely(except);
    const commands = withDescriptor(() => left.map(commandOf));
    const until = performance.now() + LONGEST;
    while (left.length > 0 && performance.now() < until) {
      for (const pid of left) kill(pid);
      await pause(PATIENCE / 10);
      left = await this.#findSurely(except);
    }
    return commands;
  }

  /** Kills the processes, and does not wait for their end. */
  kill(): void {
    for (const pid of this.find()) kill(pid);
  }

  /** The memory of the processes, in bytes. */
  memory(): number {
    const pids = this.find();
    return withDescriptor(() => pids.reduce((sum, pid) => sum + memoryOf(pid), 0));
  }

  /** Like `find`, but waits a moment for processes that have just begun to run another program. */
  async #findSurely(except: ReadonlySet<number>): Promise<number[]> {
    let waitedFor = this.#unsure;
    for (;;) {
      const found = this.find().filter((pid) => !except.has(pid));
      if (found.length > 0 || this.#unsure.isSubsetOf(waitedFor)) return found;
      waitedFor = waitedFor.union(this.#unsure);
      await pause(PATIENCE / 10);
    }
  }

  #isBelow(pid: number, own: ReadonlyMap<number, string>): boolean {
    const parent = parentOf(pid);
    return parent === this.#root || own.has(parent);
  }
}

/**
 * A descriptor that waits for a search. A search needs one, and what a run has started must also be found when all
 * others are used up. It is opened early, because a limit that is lowered later refuses large numbers.
 */
let spare = openSpare();

function openSpare(): number | undefined {
  try {
    return openSync(devNull, 'r');
  } catch {
    return undefined;
  }
}

function withDescriptor<T>(search: () => T): T {
  if (spare !== undefined) closeSync(spare);
  try {
    return search();
  } finally {
    spare = openSpare();
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

/**
 * The fields of a process after its name, which may contain blanks and brackets. A process that is no longer in the list
 * has one empty field.
 */
function fieldsOf(pid: number): string[] {
  const text = read(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/**
 * The variables of a process, each followed by NUL. The text is empty while a process begins to run a program, and may
 * be empty for a thread of the kernel or a process that has ended.
 */
function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    // it has ended, or another user runs it
    return UNREADABLE;
  }
}

function has(environment: string, variable: string): boolean {
  return `\0${environment}\0`.includes(`\0${variable}\0`);
}

/** Whether a process runs and is no thread of the kernel. */
function isOfUser(pid: number): boolean {
  const fields = fieldsOf(pid);
  return isRunning(fields) && (Number(fields[FLAGS]) & OF_KERNEL) === 0;
}

/**
 * Whether a process works in one of some folders. The processes of a run have no terminal. A process with a terminal is
 * that of a person who looks at the folder.
 */
function worksIn(pid: number, folders: readonly string[]): boolean {
  if (folders.length === 0) return false;
  try {
    const place = readlinkSync(`/proc/${pid}/cwd`);
    const isInside = folders.some((folder) => place === folder || place.startsWith(`${folder}${path.sep}`));
    return isInside && fieldsOf(pid)[TERMINAL] === NO_TERMINAL;
  } catch {
    // it has ended, or another user runs it
    return false;
  }
}

function realPathOf(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return folder;
  }
}

const load = openLoad();
const loadText = Buffer.alloc(128);

/** Opens the load once, because a search after each run reads it. */
function openLoad(): number | undefined {
  try {
    return statfsSync(LOAD).type === PROC ? openSync(LOAD, 'r') : undefined;
  } catch {
    return undefined;
  }
}

/** The id that the system gave last to a process or thread; NaN if the system does not say it. */
function lastIdNow(): number {
  if (load === undefined) return NaN;
  try {
    const text = loadText.toString('latin1', 0, readSync(load, loadText, 0, loadText.length, 0));
    // a system that does not know it says 0
    return Number(text.slice(text.lastIndexOf(' '))) || NaN;
  } catch {
    // code of a model has closed it
    return NaN;
  }
}

/** The time when a process started; empty if it is no longer in the list. */
function startOf(pid: number): string {
  return fieldsOf(pid)[START] ?? '';
}

function parentOf(pid: number): number {
  return Number(fieldsOf(pid)[PARENT]);
}

/** Whether a process runs. A process that has ended stays in the list until its parent has noticed the end. */
function isAlive(pid: number): boolean {
  return isRunning(fieldsOf(pid));
}

function isRunning(fields: readonly string[]): boolean {
  return !['', 'Z', 'X'].includes(fields[STATE]!);
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
