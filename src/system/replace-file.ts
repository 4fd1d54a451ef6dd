import { hash, randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { type FileHandle, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isSystemError } from './file-system.ts';

/** Appends to a file that is not in its final place yet. */
export class UnfinishedFile {
  readonly #handle: FileHandle;
  #size = 0;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** The number of bytes so far. */
  get size(): number {
    return this.#size;
  }

  async append(part: Uint8Array | string): Promise<void> {
    let rest: Uint8Array = typeof part === 'string' ? Buffer.from(part) : part;
    // a disk that becomes full writes only a part, without an error
    while (rest.length > 0) {
      const { bytesWritten } = await this.#handle.write(rest, 0, rest.length, this.#size);
      this.#size += bytesWritten;
      rest = rest.subarray(bytesWritten);
    }
  }

  /** Removes everything that was appended. */
  async clear(): Promise<void> {
    await this.#handle.truncate(0);
    this.#size = 0;
  }
}

/**
 * Replaces or creates a file. After a full disk, a kill, a power failure or a second writer, the place has the whole
 * old file or the whole new file. When this function returns, the new file is on the disk. The new file keeps the
 * permissions of the old one, and its owner if the system allows this. A link stays, and its target is replaced.
 *
 * @param content the text, or a function that appends it
 * @param mode permissions of a new file
 * @throws the error of the system, or what `content` throws; then the old file is unchanged
 */
export async function replaceFile(
  path: string,
  content: string | ((file: UnfinishedFile) => Promise<void>),
  mode = 0o666,
): Promise<void> {
  const target = await targetOf(path);
  const folder = dirname(target);
  const before = await stat(target).catch(() => undefined);
  await removeLeftovers(folder);
  const unfinished = join(folder, unfinishedName(basename(target)));
  try {
    const handle = await open(unfinished, 'wx', before?.mode ?? mode);
    try {
      if (before) await passOn(before, handle);
      const file = new UnfinishedFile(handle);
      await (typeof content === 'string' ? file.append(content) : content(file));
      await handle.sync();
      const { size } = await handle.stat();
      if (size !== file.size) throw cutShort(path, size, file.size);
    } finally {
      await handle.close();
    }
    await rename(unfinished, target);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(folder);
}

/**
 * Moves a file to its place, durably. Another program has written the file. Both places must be on one disk.
 * @throws the error of the system
 */
export async function placeFile(written: string, target: string): Promise<void> {
  const handle = await open(written, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(written, target);
  await syncFolder(dirname(target));
}

/** The machine, in the names of its unfinished files. */
const MACHINE = hash('sha256', hostname()).slice(0, 8);
/** The end of an unfinished file's name. It says which machine and which process write the file. */
const UNFINISHED = /\.([0-9a-f]{8})-(\d+)-[0-9a-f]{8}\.part$/;
/** An unfinished file's name begins with this much of the file's name, because a name has at most 255 bytes. */
const LONGEST_BEGINNING = 50;

function unfinishedName(name: string): string {
  return `${name.slice(0, LONGEST_BEGINNING)}.${MACHINE}-${process.pid}-${randomUUID().slice(0, 8)}.part`;
}

/** Folders that this process has searched for leftovers: a folder with many files is read only once. */
const searched = new Set<string>();

/** Removes the unfinished files of processes on this machine that have ended. */
async function removeLeftovers(folder: string): Promise<void> {
  if (searched.has(folder)) return;
  searched.add(folder);
  // leftovers in an unreadable folder stay
  for (const name of await readdir(folder).catch(() => [])) {
    const [, machine, pid] = UNFINISHED.exec(name) ?? [];
    if (machine === MACHINE && !isRunning(Number(pid)))
      await rm(join(folder, name), { force: true }).catch(() => undefined);
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return isSystemError(error) && error.code === 'EPERM';
  }
}

async function targetOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (isSystemError(error) && error.code === 'ENOENT') return path;
    throw error;
  }
}

/** Gives the new file the owner and the permissions of the old one. Only root may give a file to another user. */
async function passOn({ uid, gid, mode }: Stats, handle: FileHandle): Promise<void> {
  const now = await handle.stat();
  if (now.uid !== uid || now.gid !== gid) await handle.chown(uid, gid).catch(() => undefined);
  if (now.mode !== mode) await handle.chmod(mode);
}

/** Makes a rename durable. Some systems cannot do that; the file is in its place anyway. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}

function cutShort(path: string, size: number, wanted: number): NodeJS.ErrnoException {
  const error = new Error(`EIO: ${path} has ${size} bytes instead of ${wanted}, write`);
  return Object.assign(error, { code: 'EIO', syscall: 'write' });
}
