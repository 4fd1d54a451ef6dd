import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ForayError, messageOf } from '../errors.ts';
import { makeFolder } from '../system/file-system.ts';
import { placeFile } from '../system/replace-file.ts';
import { modelAttribute, ownerAttribute, phaseAttribute } from '../workflows/search-attributes.ts';
import { goInstall } from './go-install.ts';
import { isProgram, knownProgram, PROGRAM, programCache } from './temporal-program.ts';

/**
 * The newest version of Temporal's command line that `go install` accepts. Newer versions have a `replace` in their
 * go.mod, which `go install` refuses.
 */
const GO_PACKAGE = 'github.com/temporalio/cli/cmd/temporal@v1.5.1';

/**
 * Options of a development server for campaigns: the search attributes, fairness between campaigns, and short timers. By
 * itself, Temporal fires no timer earlier than after a second, but a campaign of short runs waits for 250 ms.
 */
export const serverSettings = [
  ...[modelAttribute, phaseAttribute, ownerAttribute].flatMap(({ name }) => [
    '--search-attribute',
    `${name}=Keyword`,
  ]),
  ...['--dynamic-config-value', 'matching.enableFairness=true'],
  ...['--dynamic-config-value', 'history.timerProcessorMaxTimeShift="50ms"'],
];

/** Receives a line of progress for the user. */
export type Report = (line: string) => void;

/**
 * Finds the path of Temporal's command line, which contains the development server and its Web UI. It tries, in this
 * order: the path in FORAY_TEMPORAL_CLI; `temporal` on the PATH; the program in the user's cache; a download by the SDK
 * into the cache; a build by Go into the cache.
 *
 * @throws ForayError TEMPORAL_MISSING with everything that was tried
 */
export async function findTemporalCli(report: Report, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const named = env.FORAY_TEMPORAL_CLI;
  if (named && !isProgram(named)) {
    throw new ForayError('TEMPORAL_MISSING', `FORAY_TEMPORAL_CLI names ${named}, which is not a program.`, {
      hint: "Set it to the path of Temporal's command line, or unset it.",
    });
  }
  const known = knownProgram(env);
  if (known !== undefined) return known;
  const cache = await cacheFolder(env);
  const cached = join(cache, PROGRAM);
  const tried = ['no "temporal" is on the path'];
  for (const [name, make] of [
    ['download', download],
    ['go install', build],
  ] as const) {
    const folder = mkdtempSync(join(cache, 'new-'));
    try {
      // the program moves into the cache only when it is complete
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
  throw new ForayError('TEMPORAL_MISSING', `No Temporal server was found: ${tried.join('; ')}.`, {
    hint: "Install Temporal's command line (https://docs.temporal.io/cli) or Go 1.24 or newer, or set FORAY_TEMPORAL_CLI to the path of Temporal's command line.",
  });
}

/** @throws ForayError TEMPORAL_MISSING when the user has no home folder, or cannot write to it */
async function cacheFolder(env: NodeJS.ProcessEnv): Promise<string> {
  try {
    const folder = programCache(env);
    await makeFolder(folder);
    return folder;
  } catch (error) {
    throw new ForayError(
      'TEMPORAL_MISSING',
      `There is no folder for a Temporal server: ${messageOf(error)}.`,
      { hint: "Set XDG_CACHE_HOME to a writable folder, or FORAY_TEMPORAL_CLI to Temporal's command line." },
    );
  }
}

/** Lets the SDK start a test server. To do so, the SDK downloads the program. */
async function download(folder: string, report: Report): Promise<string> {
  report('Downloading a Temporal server (once)');
  // this package loads the native worker, so foray dev loads it only for a download
  const { TestWorkflowEnvironment } = await import('@temporalio/testing');
  const environment = await TestWorkflowEnvironment.createLocal({
    server: {
      executable: { type: 'cached-download', downloadDir: folder },
      log: { format: 'pretty', level: 'never' },
    },
  }).catch((error: unknown) => {
    // the SDK's message has many lines from its HTTP client
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
  await goInstall(GO_PACKAGE, folder, report);
  return join(folder, PROGRAM);
}
