import { messageOf } from '../errors.ts';

/** The reason why a file or a folder cannot be read, in words that can follow "The file X". */
export function whyUnreadable(error: unknown): string {
  const { code = messageOf(error) } = error as NodeJS.ErrnoException;
  return reasons[code] ?? `cannot be read (${code})`;
}

const reasons: Record<string, string> = {
  ENOENT: 'is not there',
  ENOTDIR: 'is not there',
  EISDIR: 'is a folder',
  NO_FILE: 'is a pipe or a device, and not a file',
  EACCES: 'cannot be read (permission denied)',
  EPERM: 'cannot be read (permission denied)',
};
