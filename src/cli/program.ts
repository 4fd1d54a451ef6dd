import { Command, CommanderError } from 'commander';
import { addAnalyze } from './analyze.ts';
import { addApply } from './apply.ts';
import { addCancel } from './cancel.ts';
import { addCompare } from './compare.ts';
import { addCompletion } from './completion.ts';
import { addDelete } from './delete.ts';
import { addGc } from './gc.ts';
import { addDoctor } from './doctor.ts';
import { addDemo } from './demo.ts';
import { addDev } from './dev.ts';
import { addExecutor } from './executor.ts';
import { addExecutors } from './executors.ts';
import { addExplain } from './explain.ts';
import { addInit } from './init.ts';
import { addList } from './list.ts';
import { addModels } from './models.ts';
import { addPlan } from './plan.ts';
import { addReport } from './report.ts';
import { addResults } from './results.ts';
import { addRetry } from './retry.ts';
import { addSchema } from './schema.ts';
import { ownOptionsFirst, allowSettingsFirst } from './settings-first.ts';
import { addServer } from './server.ts';
import { addService } from './service.ts';
import { addStatus } from './status.ts';
import { addSteer } from './steer.ts';
import { addSubmit } from './submit.ts';
import { addUi } from './ui.ts';
import { description, version } from '../package/own-version.ts';
import { versionText } from './version.ts';
import { addWatch } from './watch.ts';
import { addWorker } from './worker.ts';
import { print } from './output.ts';

/** The whole command line, ready to parse. Names of commands and options are public (docs/reference/commands.md). */
export function createProgram(): Command {
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
  for (const add of [
    ...[addDemo, addDev, addUi, addServer, addService, addWorker, addExecutor, addExecutors, addModels],
    ...[addInit, addSchema, addPlan, addSubmit],
    ...[addList, addStatus, addWatch, addSteer, addCancel],
    ...[addApply, addRetry, addExplain, addResults, addAnalyze, addCompare, addReport, addDelete, addGc],
    ...[addCompletion, addDoctor],
  ]) {
    add(program);
  }
  return program;
}
