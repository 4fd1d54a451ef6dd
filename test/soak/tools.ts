import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasPostgres } from '../support/postgres.ts';
import { type FaultKind, faultKinds } from './schedule.ts';

/** The faults that this machine allows, and why the others are missing. */
export interface Tools {
  hasPostgres: boolean;
  /** The path of the library that moves the clock of a process, if it is installed. */
  faketime: string | undefined;
  /** The faults that cannot be tried, with the reasons. */
  missing: Map<FaultKind, string>;
}

const LIBRARIES = '/usr/lib';

export function findTools(without: readonly FaultKind[]): Tools {
  if (process.platform !== 'linux') throw new Error('The soak runs only on Linux, because it reads /proc.');
  const faketime = findFaketime();
  const missing = new Map<FaultKind, string>(without.map((kind) => [kind, 'excluded by --without']));
  const lack = (kind: FaultKind, why: string): void => void (missing.has(kind) || missing.set(kind, why));
  if (!faketime) lack('clock', 'libfaketime is missing (Debian: faketime)');
  if (!works('prlimit', ['--version'])) lack('descriptors', 'prlimit is missing (Debian: util-linux)');
  if (!mayMount()) lack('disk', 'this process may not mount a tmpfs (root may)');
  return { hasPostgres: hasPostgres(), faketime, missing };
}

export function triedKinds({ missing }: Tools): FaultKind[] {
  return faultKinds.filter((kind) => !missing.has(kind));
}

function findFaketime(): string | undefined {
  const places = readdirSync(LIBRARIES).map((folder) =>
    join(LIBRARIES, folder, 'faketime/libfaketimeMT.so.1'),
  );
  return places.find((place) => existsSync(place));
}

function works(command: string, args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function mayMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'foray-mount-'));
  try {
    const may = works('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', folder]);
    return may && works('umount', [folder]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
