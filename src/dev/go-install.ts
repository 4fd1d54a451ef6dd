import { spawn } from 'node:child_process';

/** The time between two lines of progress, ms. */
const PROGRESS_MS = 15_000;

/**
 * Builds the program of a Go package into a folder.
 *
 * @param report - receives lines of progress for the user
 * @throws Error if Go is not installed, or if the build fails. After a failed build, the message is the last line of
 *   Go's output. If there is no output, the message has the exit code
 */
export async function goInstall(
  goPackage: string,
  folder: string,
  report: (line: string) => void,
): Promise<void> {
  const started = Date.now();
  const ticking = setInterval(
    () => report(`  still building, ${Math.round((Date.now() - started) / 1_000)} s`),
    PROGRESS_MS,
  );
  try {
    await new Promise<void>((resolve, reject) => {
      const go = spawn('go', ['install', goPackage], {
        env: { ...process.env, GOBIN: folder },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let output = '';
      go.stderr.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-2_000)));
      go.once('error', () => reject(new Error('Go is not installed')));
      // at the event "exit", the output may not be complete
      go.once('close', (code, signal) => {
        const lastLine = output.trim().split('\n').at(-1);
        if (code === 0) resolve();
        else reject(new Error(lastLine || `Go ended with ${signal ?? `exit code ${code}`}`));
      });
    });
  } finally {
    clearInterval(ticking);
  }
}
