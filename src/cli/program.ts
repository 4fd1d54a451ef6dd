import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { knownProgram } from '../dev/temporal-program.ts';
import { PACKAGE } from '../package/own-files.ts';
import { ownOptionsFirst, allowSettingsFirst } from './settings-first.ts';
import { description, version } from '../package/own-version.ts';
import { print } from './output.ts';

type LoadCommand = () => Promise<(program: Command) => void>;

const steering: LoadCommand = async () => (await import('./steer.ts')).addSteer;

/** A function for each command that loads the module of the command, in the order of the help text. */
const commands: Record<string, LoadCommand> = {
  demo: async () => (await import('./demo.ts')).addDemo,
  dev: async () => (await import('./dev.ts')).addDev,
  ui: async () => (await import('./ui.ts')).addUi,
  server: async () => (await import('./server.ts')).addServer,
  service: async () => (await import('./service.ts')).addService,
  keys: async () => (await import('./keys.ts')).addKeys,
  worker: async () => (await import('./worker.ts')).addWorker,
  executor: async () => (await import('./executor.ts')).addExecutor,
  executors: async () => (await import('./executors.ts')).addExecutors,
  models: async () => (await import('./models.ts')).addModels,
  init: async () => (await import('./init.ts')).addInit,
  schema: async () => (await import('./schema.ts')).addSchema,
  plan: async () => (await import('./plan.ts')).addPlan,
  submit: async () => (await import('./submit.ts')).addSubmit,
  list: async () => (await import('./list.ts')).addList,
  status: async () => (await import('./status.ts')).addStatus,
  watch: async () => (await import('./watch.ts')).addWatch,
  pause: steering,
  resume: steering,
  stop: steering,
  set: steering,
  cancel: async () => (await import('./cancel.ts')).addCancel,
  apply: async () => (await import('./apply.ts')).addApply,
  retry: async () => (await import('./retry.ts')).addRetry,
  explain: async () => (await import('./explain.ts')).addExplain,
  results: async () => (await import('./results.ts')).addResults,
  analyze: async () => (await import('./analyze.ts')).addAnalyze,
  compare: async () => (await import('./compare.ts')).addCompare,
  report: async () => (await import('./report.ts')).addReport,
  delete: async () => (await import('./delete.ts')).addDelete,
  gc: async () => (await import('./gc.ts')).addGc,
  completion: async () => (await import('./completion.ts')).addCompletion,
  'campaign-ids': async () => (await import('./campaign-ids.ts')).addCampaignIds,
  doctor: async () => (await import('./doctor.ts')).addDoctor,
};

/**
 * The command line, ready to parse. Names of commands and options are public (docs/reference/commands.md).
 *
 * @param first - the first argument. If it is the name of a command, only the module of this command is loaded, because
 *   all modules take up to 0.1 seconds more. `completion` needs all commands, and `--version` needs none. @default all
 *   commands
 */
export async function createProgram(first?: string): Promise<Command> {
  const program = new Command('foray')
    .description(description)
    .option('-V, --version', 'print the versions of foray and its parts, and their folders')
    .on('option:version', () => {
      print(versionText());
      throw new CommanderError(0, 'commander.version', version);
    })
    .exitOverride()
    .configureHelp(ownOptionsFirst)
    .showSuggestionAfterError();
  allowSettingsFirst(program);
  for (const add of await Promise.all(Array.from(needed(first), (load) => load()))) add(program);
  return program;
}

function needed(first: string | undefined): Iterable<LoadCommand> {
  if (first === '--version' || first === '-V') return [];
  // the script of "foray completion" has the names of all commands
  const isAlone = first !== undefined && first !== 'completion' && Object.hasOwn(commands, first);
  return isAlone ? [commands[first]!] : new Set(Object.values(commands));
}

/** The versions of foray and of its main parts, one line each. Most lines also have the path of the part. */
function versionText(): string {
  const require = createRequire(import.meta.url);
  const { version: sdk } = require('@temporalio/client/package.json') as { version: string };
  const server = knownProgram(process.env) ?? 'none yet; "foray dev" downloads or builds it';
  return [
    `foray ${version} (${PACKAGE})`,
    `Node ${process.versions.node} (${process.execPath})`,
    `Temporal SDK ${sdk}`,
    `Temporal server: ${server}`,
  ].join('\n');
}
