import { messageOf } from '../../errors.ts';

/** The reason why a file cannot be read, in words that can follow "The file X". */
export function whyUnreadable(error: unknown): string {
  const { code = messageOf(error) } = error as NodeJS.ErrnoException;
  return unreadable[code] ?? `cannot be read (${code})`;
}

const unreadable: Record<string, string> = {
  ENOENT: 'is not there',
  ENOTDIR: 'is not there',
  EISDIR: 'is a folder',
  EACCES: 'cannot be read (permission denied)',
  EPERM: 'cannot be read (permission denied)',
};
