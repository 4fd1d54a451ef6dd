import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { ForayError, messageOf } from '../errors.ts';
import { makeFolder } from '../file-system.ts';
import { placeFile } from '../replace-file.ts';
import { modelAttribute, ownerAttribute, phaseAttribute } from '../workflows/attributes.ts';
import { isProgram, PROGRAM, programCache, programOnPath } from './temporal-program.ts';

/** The newest version of Temporal's command line that `go install` takes (newer ones have a `replace`). */
const GO_PACKAGE = 'github.com/temporalio/cli/cmd/temporal@v1.5.1';
const STILL_AT_IT_MS = 15_000;

/** What a development server is told about campaigns: their search attributes, and that they take turns. */
export const serverSettings = [
  ...[modelAttribute, phaseAttribute, ownerAttribute].flatMap(({ name }) => [
    '--search-attribute',
    `${name}=Keyword`,
  ]),
  ...['--dynamic-config-value', 'matching.enableFairness=true'],
];

/** Takes one line about what is being done, for a person who waits. */
export type Report = (line: string) => void;

/**
 * The path of Temporal's command line, which holds the development server and its Web UI. In this order: the path in
 * FORAY_TEMPORAL_CLI; `temporal` on the path; the one in the user's cache; the SDK's own download into that cache;
 * one that Go builds into it.
 *
 * @throws ForayError TEMPORAL_MISSING which says what was tried
 */
export async function findTemporalCli(report: Report, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const named = env.FORAY_TEMPORAL_CLI;
  if (named) {
    if (isProgram(named)) return named;
    throw new ForayError('TEMPORAL_MISSING', `FORAY_TEMPORAL_CLI names ${named}, which is not a program.`, {
      hint: "Give it the path of Temporal's command line, or unset it.",
    });
  }
  const found = programOnPath(env);
  if (found !== undefined) return found;
  const cache = await cacheFolder(env);
  const cached = join(cache, PROGRAM);
  if (isProgram(cached)) return cached;

  const tried = ['no "temporal" is on the path'];
  for (const [name, make] of [
    ['download', download],
    ['go install', build],
  ] as const) {
    const folder = mkdtempSync(join(cache, 'new-'));
    try {
      // a program in the cache is always whole
      await placeFile(await make(folder, report), cached);
      report(`Temporal is ready in ${cached}`);
      return cached;
    } catch (error) {
      tried.push(`${name}: ${messageOf(error)}`);
      report(`${name} did not work (${messageOf(error)})`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  throw new ForayError('TEMPORAL_MISSING', `There is no Temporal server here: ${tried.join('; ')}.`, {
    hint: "Install Temporal's command line (or Go 1.24 or newer), or name it in FORAY_TEMPORAL_CLI.",
  });
}

/** @throws ForayError TEMPORAL_MISSING where nothing can be kept: for a user without a home folder, or with one that is read-only */
async function cacheFolder(env: NodeJS.ProcessEnv): Promise<string> {
  try {
    const folder = programCache(env);
    await makeFolder(folder);
    return folder;
  } catch (error) {
    throw new ForayError('TEMPORAL_MISSING', `A Temporal server cannot be kept here: ${messageOf(error)}.`, {
      hint: "Name a folder that can be written in XDG_CACHE_HOME, or Temporal's command line in FORAY_TEMPORAL_CLI.",
    });
  }
}

/** The SDK downloads the program when it starts a test server. */
async function download(folder: string, report: Report): Promise<string> {
  report('Downloading a Temporal server (once)');
  const environment = await TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: 'cached-download', downloadDir: folder },
      log: { format: 'pretty', level: 'never' },
    },
  }).catch((error: unknown) => {
    // the SDK's text is many lines of what its HTTP client met
    throw new Error(
      /error sending request|dns|connect/i.test(messageOf(error)) ? 'no connection' : messageOf(error),
    );
  });
  await environment.teardown();
  const program = readdirSync(folder)[0];
  if (!program) throw new Error('nothing was downloaded');
  return join(folder, program);
}

async function build(folder: string, report: Report): Promise<string> {
  report(`Building a Temporal server with Go (once, two to five minutes): go install ${GO_PACKAGE}`);
  const started = Date.now();
  const ticking = setInterval(
    () => report(`  still building, ${Math.round((Date.now() - started) / 1_000)} s`),
    STILL_AT_IT_MS,
  );
  try {
    await new Promise<void>((resolve, reject) => {
      const go = spawn('go', ['install', GO_PACKAGE], {
        env: { ...process.env, GOBIN: folder },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let said = '';
      go.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2_000)));
      go.once('error', () => reject(new Error('Go is not installed')));
      go.once('exit', (code) => {
        if (code === 0) resolve();
        else reject(new Error(said.trim().split('\n').at(-1) ?? `exit code ${code}`));
      });
    });
  } finally {
    clearInterval(ticking);
  }
  return join(folder, PROGRAM);
}
