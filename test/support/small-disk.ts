import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  folder: string;
  remove(): void;
}

/**
 * Mounts a small file system. Returns undefined if this process may not mount one: only root may, and in some
 * containers even root may not.
 *
 * @param size - a size in the format of tmpfs, such as `2m`
 */
export function smallDisk(size: string): SmallDisk | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'foray-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  return {
    folder,
    remove() {
      execFileSync('umount', ['--lazy', folder]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Writes a file that fills the disk. */
export function fillDisk(file: string): void {
  const descriptor = openSync(file, 'w');
  try {
    for (let size = 1024 * 1024; size >= 1;) {
      try {
        writeSync(descriptor, Buffer.alloc(size));
      } catch {
        size = Math.floor(size / 2);
      }
    }
  } finally {
    closeSync(descriptor);
  }
}
