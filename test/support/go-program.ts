import { mkdtempSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { goInstall } from '../../src/dev/go-install.ts';
import { isProgram, programCache } from '../../src/dev/temporal-program.ts';
import { placeFile } from '../../src/system/replace-file.ts';
import { madeOnce } from './made-once.ts';

/** A server in Go that tests need. */
export interface GoProgram {
  /** What it is, for a line of progress. */
  what: string;
  /** Its package with a version, as "go install" takes it. */
  goPackage: string;
  /** Its name in the cache. */
  cachedAs: string;
  /** A path that the user gives in the environment. */
  named: string | undefined;
}

/**
 * The path of a program: the named one, or the one in the user's cache. If it is missing there, Go builds it, which
 * takes minutes. The lines of progress go to stderr.
 *
 * @throws Error if the program does not exist and cannot be built
 */
export async function findGoProgram({ what, goPackage, cachedAs, named }: GoProgram): Promise<string> {
  if (named && isProgram(named)) return named;
  const report = (line: string) => process.stderr.write(`${line}\n`);
  const cache = programCache(process.env);
  const cached = join(cache, cachedAs);
  return madeOnce(
    cached,
    () => (isProgram(cached) ? cached : undefined),
    async () => {
      const folder = mkdtempSync(join(cache, 'new-'));
      try {
        report(`Building ${what} with Go (once, some minutes): go install ${goPackage}`);
        await goInstall(goPackage, folder, report);
        // the program is moved into the cache, so a program in the cache is always complete
        await placeFile(join(folder, basename(goPackage).replace(/@.*/, '')), cached);
        return cached;
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
}
