import { describe, expect, test } from '@jest/globals';
import { inputTypes, outputTypes, unitNames } from '../../src/api/constants.ts';
import { type Endpoint, endpoints } from '../../src/api/endpoints.ts';
import { Model, Outputs, Run, RunRequest, Version } from '../../src/api/resources.ts';

describe('the contract', () => {
  test('has sixteen endpoints, and each endpoint has its own address', () => {
    const rows = Object.values(endpoints as Record<string, Endpoint>).map(
      ({ method, path }) => `${method} ${path}`,
    );
    expect(rows).toHaveLength(16);
    expect(new Set(rows).size).toBe(16);
  });

  test('has as many types and units as the specification, and each name once', () => {
    expect([inputTypes.length, outputTypes.length, unitNames.length]).toEqual([14, 13, 58]);
    for (const names of [inputTypes, outputTypes, unitNames]) expect(new Set(names).size).toBe(names.length);
  });

  test('drops fields of a newer service, and sets missing optional fields to their defaults', () => {
    expect(Model.parse({ id: 'm', name: 'M', modelVersions: [], colour: 'red' })).toEqual({
      id: 'm',
      name: 'M',
      description: '',
      modelVersions: [],
      published: false,
    });
    const run = { id: 'r', inputs: [], modelVersionId: 'v', status: 'FRESH' };
    expect(Run.parse(run)).toEqual({ ...run, message: '', outputs: null });
  });

  test('allows values as JSON numbers in requests, but only texts in answers', () => {
    const inputs = [{ name: 'Server capacity', type: 'INTEGER', units: null, value: 8 }];
    expect(RunRequest.parse({ experimentType: 'SIMULATION', inputs }).inputs[0]!.value).toBe(8);
    const template = { inputs, outputs: [] };
    expect(Version.safeParse({ id: 'v', version: 1, experimentTemplate: template }).success).toBe(false);
    expect(Outputs.safeParse([{ aggregationType: 'IDENTITY', outputs: [], value: 3 }]).success).toBe(false);
  });
});
