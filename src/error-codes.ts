/**
 * Every error that a user can meet is a `ForayError` (errors.ts) with a code from this table. docs/reference/errors.md
 * documents each code, and a test compares the two. A code never gets another meaning. The file that throws an error
 * contains the sentence for the user.
 *
 * `exit` is the exit code of the command line: 1 when what was checked is not as it must be; 2 when the command cannot be
 * carried out as it was given, for example because the definition is wrong or a file cannot be read; 3 when a server or
 * a worker is missing, cannot be reached or fails; 4 when an executor cannot work on its machine, although executors on
 * other machines may work.
 */
export const errorCodes = {
  USAGE: { exit: 2, about: 'the command line is wrong' },
  DEFINITION_SYNTAX: { exit: 2, about: 'the definition is not valid YAML, JSON or TypeScript' },
  DEFINITION_INVALID: {
    exit: 2,
    about: 'the definition does not have the shape that docs/reference/definition.md describes',
  },
  DEFINITION_UNREADABLE: { exit: 2, about: 'the definition, or a file that it names, cannot be read' },
  UNKNOWN_MODEL: { exit: 2, about: 'the service has no model or version of that name' },
  UNKNOWN_EXPERIMENT: { exit: 2, about: 'the version has no stored experiment of that name' },
  UNKNOWN_INPUT: { exit: 2, about: 'the version has no input of that name' },
  UNKNOWN_OUTPUT: { exit: 2, about: 'the version has no output of that name' },
  INVALID_VALUE: { exit: 2, about: 'a value is not valid for its input or setting' },
  INVALID_EXPRESSION: {
    exit: 2,
    about: 'an expression under where or derive, or a formula over outputs, is wrong',
  },
  POINTS_INVALID: { exit: 2, about: 'a point file is not a valid table of points' },
  EMPTY_DESIGN: { exit: 2, about: 'the design has no points' },
  REPLICATIONS_NEED_SEED: {
    exit: 2,
    about: 'replications above 1, or a seed, need a model with the input {RANDOM_SEED}',
  },
  SEED_NEEDED: { exit: 2, about: 'a setting needs new seeds, and the model has no input {RANDOM_SEED}' },
  TOO_MANY_RUNS: { exit: 2, about: 'the campaign has more runs than --max-runs allows' },
  VERSION_RETIRED: { exit: 2, about: "the version of the campaign's model takes no new runs" },
  CHANGE_REFUSED: { exit: 2, about: 'a campaign cannot be changed to match a definition' },
  UNKNOWN_CAMPAIGN: { exit: 2, about: 'there is no campaign of that id' },
  UNKNOWN_CAUSE: { exit: 2, about: 'no failed run of the campaign has that cause' },
  UNKNOWN_POINT: { exit: 2, about: 'the campaign has no point of that key' },
  RUN_NOT_KEPT: {
    exit: 2,
    about: 'the service has kept no folder of a failed run, so it cannot be repeated by hand',
  },
  NOTHING_TO_COMPARE: {
    exit: 2,
    about: 'two campaigns have no point, or no numeric or BOOLEAN output, in common',
  },
  NOTHING_TO_ANALYZE: { exit: 2, about: 'the campaign has no sample for an analysis of its inputs' },
  CAMPAIGN_EXISTS: { exit: 2, about: 'a campaign of that id exists with another definition' },
  CAMPAIGN_OPEN: { exit: 2, about: 'the campaign is not over' },
  CAMPAIGN_CLOSED: { exit: 2, about: 'the campaign has already finished' },
  CAMPAIGN_CHANGED: {
    exit: 2,
    about: 'a followed campaign was changed, and its results have different columns now',
  },
  HOME_IN_USE: { exit: 2, about: 'another foray dev runs in this home folder' },
  HOME_UNUSABLE: { exit: 2, about: 'the home folder cannot be written' },
  DEV_NOT_RUNNING: { exit: 3, about: 'no foray dev runs in this home, and no model service is named' },
  PORT_IN_USE: { exit: 2, about: 'another program already listens on the address' },
  STORE_UNUSABLE: { exit: 2, about: 'the store cannot be opened or used' },
  STORE_MISSING: { exit: 2, about: 'the command reads a store, and there is no store yet' },
  STORE_LOST: {
    exit: 3,
    about:
      'the file of the store or of the model service, or its log (`…-wal`), was removed or replaced while foray used it',
  },
  STORE_UNREACHABLE: {
    exit: 3,
    about: 'the PostgreSQL server of the store or of the model service cannot be reached',
  },
  FILES_UNUSABLE: { exit: 2, about: 'the bucket for the files of the model service cannot be used' },
  FILES_UNREACHABLE: { exit: 3, about: 'the store for the files of the model service cannot be reached' },
  STORE_NEWER: { exit: 2, about: 'the store was written by a newer foray, or a newer foray has changed it' },
  MODEL_INVALID: { exit: 2, about: 'a model folder is not a valid model' },
  IMPORT_FAILED: { exit: 2, about: 'what a user owns cannot be imported as a model' },
  MODEL_UNSTEADY: { exit: 1, about: 'outputs of a model depend on something else than its inputs' },
  MODEL_UNREADABLE: { exit: 2, about: 'a folder of models, or a file in it, cannot be read' },
  KEYS_INVALID: { exit: 2, about: 'the key file cannot be used' },
  NOTICES_INVALID: { exit: 2, about: 'the file of notices of a worker cannot be used' },
  UNKNOWN_NOTICE: { exit: 2, about: 'the file of notices of a worker has no notice of that name' },
  UNKNOWN_KEY: { exit: 2, about: 'the key file has no key of that name or id' },
  REFERENCE_INVALID: { exit: 2, about: 'a file of reference values does not fit the campaign' },
  OUTPUT_UNWRITABLE: { exit: 2, about: 'the output cannot be written' },
  FILE_UNAVAILABLE: { exit: 2, about: 'an output file is in neither the store nor the service' },
  KEY_REFUSED: { exit: 2, about: 'the model service refuses the API key' },
  REQUEST_REFUSED: { exit: 2, about: 'the model service refuses a request as wrong' },
  ANIMATION_REFUSED: { exit: 2, about: 'the model service does not animate a run' },
  TOO_MANY_ANIMATIONS: {
    exit: 3,
    about: 'the model service already has its largest number of animated runs',
  },
  EXECUTOR_REFUSED: { exit: 2, about: 'the model service does not take an executor' },
  CACHE_UNUSABLE: { exit: 4, about: 'an executor cannot use its folder for models and files' },
  SERVICE_UNREACHABLE: { exit: 3, about: 'the model service cannot be reached' },
  SERVICE_FAILED: { exit: 3, about: 'the model service answers with an error or an invalid answer' },
  TEMPORAL_UNREACHABLE: { exit: 3, about: 'the Temporal server cannot be reached' },
  TEMPORAL_REFUSED: { exit: 3, about: 'the Temporal server refuses a request' },
  CODEC_UNUSABLE: {
    exit: 2,
    about: 'the module of FORAY_PAYLOAD_CODEC cannot be used, or cannot read what Temporal keeps',
  },
  TEMPORAL_MISSING: { exit: 3, about: 'no Temporal server program can be found, downloaded or built' },
  PART_FAILED: { exit: 3, about: 'a part of foray dev does not start' },
  OPTIMISER_FAILED: {
    exit: 2,
    about: 'the outside optimiser of a search ends, hangs or gives a wrong answer',
  },
  WORKER_ELSEWHERE: { exit: 3, about: 'the worker uses another store or model service than the campaign' },
  CHANGE_PENDING: { exit: 3, about: 'a change of a campaign is accepted, and not made yet' },
  WORKER_SILENT: { exit: 3, about: 'no worker answers a command that changes a campaign' },
} as const satisfies Record<string, { exit: 1 | 2 | 3 | 4; about: string }>;

/** The code of an error; docs/reference/errors.md says what to do about each error. */
export type ErrorCode = keyof typeof errorCodes;

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorCodes, text);
}
