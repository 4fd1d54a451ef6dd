import { findGoProgram } from './go-program.ts';

/** The path of versitygw, an S3-compatible server that stores objects in a folder. FORAY_VERSITYGW may give the path. */
export async function findVersitygw(): Promise<string> {
  return findGoProgram({
    what: 'an S3 server',
    goPackage: 'github.com/versity/versitygw/cmd/versitygw@v1.8.0',
    cachedAs: 'versitygw',
    named: process.env.FORAY_VERSITYGW,
  });
}

// .ci/run starts this file to build the program beside its other steps
if (import.meta.main) await findVersitygw();
