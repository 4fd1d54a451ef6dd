import type { InputItem, Model, Outputs, RunRequest, Version } from '../../../src/api/index.ts';

/** The only model of the stub. Its output Echo equals its input Value. The stub sets the duration of runs. */

const VERSION_ID = '5b0c7d1e-0000-4000-8000-00000000571b';
const inputs: InputItem[] = [
  { name: '{RANDOM_SEED}', type: 'LONG', units: null, value: '1' },
  { name: 'Value', type: 'DOUBLE', units: null, value: '0' },
];
const output = { name: 'Echo', type: 'DOUBLE', units: null, value: null } as const;

export const version: Version = {
  id: VERSION_ID,
  version: 1,
  experimentTemplate: { inputs, outputs: [output] },
};
export const model: Model = {
  id: '5b0c7d1e-0000-4000-8000-000000000001',
  name: 'Stub',
  description: 'Returns the input Value',
  modelVersions: [VERSION_ID],
  published: true,
};

/**
 * The id of the run that a request asks for. The id contains the inputs, so the stub need not store them. It is about
 * as long as the UUIDs of a real service.
 */
export function runIdOf({ inputs: given }: RunRequest): string {
  let [seed, value] = ['1', '0'];
  for (const input of given) {
    if (input.name === 'Value') value = String(Number(input.value));
    else if (typeof input.value !== 'object') seed = String(input.value);
  }
  return `${seed.padStart(30, '0')}_${value}`;
}

export function valueIn(runId: string): number {
  return Number(runId.slice(runId.indexOf('_') + 1));
}

/** The request of the p-limit loop and of the child workflows for the run with a value. */
export function requestFor(value: number): RunRequest {
  const [seed, varied] = inputs as [InputItem, InputItem];
  return { experimentType: 'SIMULATION', inputs: [seed, { ...varied, value: String(value) }] };
}

export function inputsOf(runId: string): InputItem[] {
  const [seed, varied] = inputs as [InputItem, InputItem];
  const value = String(valueIn(runId));
  return [
    { ...seed, value: runId.slice(0, runId.indexOf('_')).replace(/^0+(?=.)/, '') },
    { ...varied, value },
  ];
}

export function outputsOf(runId: string): Outputs {
  const value = String(valueIn(runId));
  return [{ aggregationType: 'IDENTITY', inputs: [], outputs: [output], value }];
}
