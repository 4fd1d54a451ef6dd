/** Helpers for tests of experiments with several runs. */
import path from 'node:path';
import type { ExperimentType, InputType } from '../../src/api/constants.ts';
import type { Outputs, RequestInputItem, Run, RunRequest } from '../../src/api/resources.ts';
import {
  type Answer,
  reach,
  type Requested,
  rows,
  startTestService,
  temporaryFolder,
  writeModel,
} from './support.ts';

type Value = RequestInputItem['value'];

/** The type and the value of an input of a request. */
export interface Typed {
  type: InputType;
  value: Value;
}

export function range(
  type: InputType,
  min: number | string,
  max: number | string,
  step: number | string,
): Typed {
  return { type, value: JSON.stringify({ min, max, step }) };
}

export const integers = (min: number, max: number, step = 1) => range('FIXED_RANGE_INTEGER', min, max, step);
export const doubles = (min: number, max: number, step: number) =>
  range('FIXED_RANGE_DOUBLE', min, max, step);
export const booleans: Typed = { type: 'FULL_RANGE_BOOLEAN', value: '' };

export type Given = Record<string, Value | Typed>;

export function experiment(experimentType: ExperimentType, inputs: Given): RunRequest {
  return {
    experimentType,
    inputs: Object.entries(inputs).map(([name, given]) =>
      isTyped(given) ? { name, ...given } : { name, value: given },
    ),
  };
}

export const variation = (inputs: Given) => experiment('PARAMETER_VARIATION', inputs);
export const monteCarlo = (inputs: Given) => experiment('MONTE_CARLO', inputs);

export function request(service: Requested, version: string, body: RunRequest): Promise<Answer<Run>> {
  return service.post<Run>(`/versions/${version}/runs`, body);
}

export async function complete(service: Requested, version: string, body: RunRequest): Promise<Run> {
  const { body: run } = await request(service, version, body);
  await reach(service, run, 'COMPLETED');
  return run;
}

/** Requests a run and waits until it is completed. Returns its outputs in the form that the template asks for. */
export async function results(
  service: Requested,
  version: string,
  body: RunRequest,
  template: object[] = [],
): Promise<Outputs> {
  const run = await complete(service, version, body);
  return (await service.post<Outputs>(`/versions/${version}/results/${run.id}`, template)).body;
}

/** The database rows of runs that executors execute, without the experiments that consist of such runs. */
export function executed(
  dataDir: string,
): { status: string; executions: number; inputs: Record<string, string> }[] {
  return rows(dataDir, 'SELECT status, executions, inputs FROM runs WHERE tasks IS NULL ORDER BY seq').map(
    ({ status, executions, inputs }) => ({
      status: status as string,
      executions: executions as number,
      inputs: JSON.parse(inputs as string) as Record<string, string>,
    }),
  );
}

/**
 * Writes the model "Mirror" and returns its folder. The outputs show the values of all inputs except Label. With the
 * label "fail at N", the run with this value of N fails.
 */
export function writeMirror(folder: string): string {
  writeModel(
    folder,
    'mirror',
    `export default {
      name: 'Mirror', description: '',
      inputs: [
        { name: '{RANDOM_SEED}', type: 'LONG', default: 1 },
        { name: 'X', type: 'DOUBLE', units: 'METER', default: 0 },
        { name: 'N', type: 'INTEGER', default: 0 },
        { name: 'Big', type: 'LONG', default: 0 },
        { name: 'Flag', type: 'BOOLEAN', default: false },
        { name: 'Label', type: 'STRING', default: '' },
      ],
      outputs: [
        { name: 'Seed', type: 'LONG' },
        { name: 'Sum', type: 'DOUBLE', units: 'METER' },
        { name: 'Text', type: 'STRING' },
        { name: 'Queue|Waiting', type: 'DATA_SET' },
        { name: 'Queue|Served', type: 'DATA_SET' },
      ],
      experiments: [
        { name: 'Sweep', type: 'PARAMETER_VARIATION', inputs: {
          x: { type: 'FIXED_RANGE_DOUBLE', min: 0, max: 1, step: 0.5 }, Flag: { type: 'FULL_RANGE_BOOLEAN' }, N: 3,
        } },
      ],
      run({ inputs }) {
        if (inputs.Label === 'fail at ' + inputs.N) throw new Error('no ' + inputs.N);
        return {
          Seed: inputs['{RANDOM_SEED}'], Sum: inputs.X + inputs.N,
          Text: [inputs.X, inputs.N, inputs.Big, inputs.Flag].join(' '),
          'Queue|Waiting': { dataX: [0], dataY: [inputs.N] },
          'Queue|Served': { dataX: [0], dataY: [inputs.X] },
        };
      },
    };`,
  );
  return path.join(folder, 'mirror');
}

function isTyped(given: Value | Typed): given is Typed {
  return typeof given === 'object' && 'type' in given;
}

/** Starts a service with the model "Mirror". */
export async function startMirror() {
  const folder = temporaryFolder();
  writeMirror(folder);
  const service = await startTestService({ modelDirs: [folder] });
  return { service, version: await service.latest('Mirror') };
}

/** Returns the element for the output with a name. */
export const named = (outputs: Outputs, name: string) =>
  outputs.find((element) => element.outputs[0]?.name === name)!;
