import { hash, randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import { type FileHandle, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { isSystemError } from './file-system.ts';

/** Adds to a file that is not in its place yet. */
export class UnfinishedFile {
  readonly #handle: FileHandle;
  #size = 0;

  constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** Bytes so far. */
  get size(): number {
    return this.#size;
  }

  async append(part: Uint8Array | string): Promise<void> {
    let rest: Uint8Array = typeof part === 'string' ? Buffer.from(part) : part;
    // a disk that fills up takes less than it is given, without an error
    while (rest.length > 0) {
      const { bytesWritten } = await this.#handle.write(rest, 0, rest.length, this.#size);
      this.#size += bytesWritten;
      rest = rest.subarray(bytesWritten);
    }
  }

  /** Drops what was appended. */
  async clear(): Promise<void> {
    await this.#handle.truncate(0);
    this.#size = 0;
  }
}

/**
 * Replaces a file, or makes it. Through a full disk, a kill, a power cut or a second writer it is the old file or the new one,
 * never a part; when this returns, it is the new one on the disk. A file that is replaced passes its owner and its permissions
 * on; a link stays, and the file that it leads to is replaced.
 *
 * @param content the text, or what appends it
 * @param mode permissions of a file that was not there
 * @throws the system's error, or what `content` throws; the old file is as it was then
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
 * Gives a file that another program wrote its place, durably; both are on one disk.
 * @throws the system's error
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

/** The part of an unfinished file's name that tells its writer: the machine, then the process. */
const MACHINE = hash('sha256', hostname()).slice(0, 8);
const UNFINISHED = /\.([0-9a-f]{8})-(\d+)-[0-9a-f]{8}\.part$/;
/** Characters of a file's name that its unfinished one begins with: names have at most 255 bytes. */
const LONGEST_BEGINNING = 50;

function unfinishedName(name: string): string {
  return `${name.slice(0, LONGEST_BEGINNING)}.${MACHINE}-${process.pid}-${randomUUID().slice(0, 8)}.part`;
}

/** Folders in which this process has looked for leftovers: a folder of many files is read once. */
const lookedAt = new Set<string>();

/** Removes the unfinished files of processes of this machine that have ended. */
async function removeLeftovers(folder: string): Promise<void> {
  if (lookedAt.has(folder)) return;
  lookedAt.add(folder);
  // a folder that may not be read has leftovers at worst
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

/** Only root may give a file to another user. */
async function passOn({ uid, gid, mode }: Stats, handle: FileHandle): Promise<void> {
  const now = await handle.stat();
  if (now.uid !== uid || now.gid !== gid) await handle.chown(uid, gid).catch(() => undefined);
  if (now.mode !== mode) await handle.chmod(mode);
}

/** Makes a rename durable. Some systems cannot do that; the file is in its place all the same. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined);
  await folder?.sync().catch(() => undefined);
  await folder?.close();
}

function cutShort(path: string, size: number, wanted: number): NodeJS.ErrnoException {
  const error = new Error(`EIO: ${path} has ${size} bytes instead of ${wanted}, write`);
  return Object.assign(error, { code: 'EIO', syscall: 'write' });
}
