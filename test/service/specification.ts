/* oxlint-disable typescript/no-unsafe-assignment, typescript/no-unsafe-member-access, typescript/no-unsafe-return, typescript/no-unsafe-argument, typescript/no-unsafe-call -- the tests look at answers without a schema */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { startService, type RunningService } from '../../src/service/service.ts';
import { KEY, SHIPPED_MODELS } from './fixed.ts';
import { type Answer, clientOf, reach, type TestService } from './support.ts';

/**
 * Helpers for the tests of the specification of the open REST interface. These tests use only HTTP and no schemas of
 * src/api, so they repeat the statements of the specification. Other tests check what the specification does not
 * define. Each file that imports these helpers has its own service.
 */

export let running: RunningService;
export let service: Pick<TestService, 'get' | 'post' | 'latest'>;
let dataDir: string;
export let model: Json;
export let version: Json;
export let runs: string;

// oxlint-disable-next-line typescript/no-explicit-any -- the tests look at answers without a schema
export type Json = any;

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'foray-service-'));
  running = await startService({
    dataDir,
    modelDirs: [SHIPPED_MODELS, join(import.meta.dirname, 'models')],
    executors: 2,
    apiKey: KEY,
  });
  service = clientOf(running.url);
  model = (await service.post<Json>('/models/name/', 'Specimen')).body;
  version = (await service.get<Json>(`/models/${model.id}/versions/${model.modelVersions[0]}`)).body;
  runs = `/versions/${version.id}/runs`;
});

afterAll(async () => {
  await running.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** The inputs of the template in the form that a client sends. The inputs in `set` have other values. */
export function inputs(set: Record<string, unknown> = {}): Json[] {
  return version.experimentTemplate.inputs.map((input: Json) => ({
    ...input,
    ...(input.name in set &&
      (typeof set[input.name] === 'object' ? (set[input.name] as object) : { value: set[input.name] })),
  }));
}

export const simulation = (set: Record<string, unknown> = {}): Json => ({
  experimentType: 'SIMULATION',
  inputs: inputs(set),
});

export async function completed(request: Json): Promise<Json> {
  const { body: run } = await service.post<Json>(runs, request);
  await reach(service, run, 'COMPLETED');
  return run;
}

/** A template that names some outputs (2.7): an Outputs array with empty values. */
export function templateOf(...names: string[]): Json[] {
  return names.map((name) => ({
    aggregationType: 'IDENTITY',
    inputs: [],
    outputs: [{ name, type: 'DOUBLE', units: null, value: null }],
    value: null,
  }));
}

export function ok<T>({ status, body }: Answer<T>): T {
  expect(status).toBe(200);
  return body;
}
