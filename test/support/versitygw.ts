import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { goInstall } from '../../src/dev/go-install.ts';
import { isProgram, programCache } from '../../src/dev/temporal-program.ts';
import { makeFolder } from '../../src/system/file-system.ts';
import { placeFile } from '../../src/system/replace-file.ts';

const GO_PACKAGE = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0';
const PROGRAM = 'versitygw';

/**
 * The path of versitygw, an S3-compatible server that stores objects in a folder. FORAY_VERSITYGW may give the path.
 * Otherwise the program is in the user's cache. If it is missing there, Go builds it, which takes minutes.
 *
 * @throws Error if the program does not exist and cannot be built
 */
export async function findVersitygw(report: (line: string) => void): Promise<string> {
  const named = process.env.FORAY_VERSITYGW;
  if (named && isProgram(named)) return named;
  const cache = programCache(process.env);
  const cached = join(cache, PROGRAM);
  if (isProgram(cached)) return cached;
  await makeFolder(cache);
  const folder = mkdtempSync(join(cache, 'new-'));
  try {
    report(`Building an S3 server with Go (once, some minutes): go install ${GO_PACKAGE}`);
    await goInstall(GO_PACKAGE, folder, report);
    // the program is moved into the cache, so a program in the cache is always complete
    await placeFile(join(folder, PROGRAM), cached);
    return cached;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

// .ci/run starts this file to build the program in parallel with its other steps
if (import.meta.main) await findVersitygw((line) => process.stderr.write(`${line}\n`));
