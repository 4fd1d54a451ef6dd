import { Command, CommanderError } from 'commander';
import { errorCodes, isForayError, messageOf } from '../errors.ts';
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
import { addExplain } from './explain.ts';
import { addInit } from './init.ts';
import { addList } from './list.ts';
import { handleLostOutput } from './lost-output.ts';
import { addModels } from './models.ts';
import { print, printErrorJson, tell, tellError } from './output.ts';
import { addPlan } from './plan.ts';
import { addReport } from './report.ts';
import { addResults } from './results.ts';
import { addRetry } from './retry.ts';
import { addSchema } from './schema.ts';
import { ownOptionsFirst, takeSettingsFirst } from './settings-first.ts';
import { addService } from './service.ts';
import { addStatus } from './status.ts';
import { addSteer } from './steer.ts';
import { addSubmit } from './submit.ts';
import { description, version, versionText } from './version.ts';
import { addWatch } from './watch.ts';
import { addWorker } from './worker.ts';

const program = new Command('foray')
  .description(description)
  .option('-V, --version', 'the versions of foray and of its parts, and where they are')
  .on('option:version', () => {
    print(versionText());
    throw new CommanderError(0, 'commander.version', version);
  })
  .exitOverride()
  .configureHelp(ownOptionsFirst)
  .showSuggestionAfterError();
takeSettingsFirst(program);
for (const add of [
  ...[addDemo, addDev, addService, addWorker, addModels],
  ...[addInit, addSchema, addPlan, addSubmit],
  ...[addList, addStatus, addWatch, addSteer, addCancel],
  ...[addApply, addRetry, addExplain, addResults, addAnalyze, addCompare, addReport, addDelete, addGc],
  ...[addCompletion, addDoctor],
]) {
  add(program);
}

handleLostOutput();

// a variable that is set to nothing is not set: what a shell or a compose file makes of a missing value
for (const [name, value] of Object.entries(process.env)) {
  if (value === '' && /^(FORAY|TEMPORAL)_/.test(name)) delete process.env[name];
}

/** Exit code of an error of foray itself. */
const UNEXPECTED = 70;
/** Also of a command line that cannot be read any further. */
const wantsJson = process.argv.includes('--json');

try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = exitCodeFor(error);
}

/** Says what went wrong, in one line where it is the user's to mend, and gives the exit code for it. */
function exitCodeFor(error: unknown): number {
  // commander has said its own already
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return 0;
    const { exit } = errorCodes.USAGE;
    if (wantsJson) printErrorJson({ code: 'USAGE', message: error.message.replace(/^error: /, '') }, exit);
    return exit;
  }
  if (isForayError(error)) {
    const { exit } = errorCodes[error.code];
    tellError(error);
    if (wantsJson) printErrorJson(error, exit);
    return exit;
  }
  tell(`foray: something unexpected went wrong: ${messageOf(error)}`);
  if (process.env.FORAY_DEBUG && error instanceof Error) tell(error.stack ?? '');
  if (wantsJson) printErrorJson({ code: 'UNEXPECTED', message: messageOf(error) }, UNEXPECTED);
  return UNEXPECTED;
}
