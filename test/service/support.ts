import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll } from '@jest/globals';
import type { VersionSummary } from '../../src/api/extensions.ts';
import { Health } from '../../src/api/health.ts';
import type { Outputs, RequestInputItem, Run, RunMessage, RunState } from '../../src/api/resources.ts';
import type { ServiceOptions } from '../../src/service/service-options.ts';
import { type RunningService, startService } from '../../src/service/service.ts';
import { EPIDEMIC, INVENTORY, KEY, REHEARSAL, SERVICE_SYSTEM, SHIPPED_MODELS } from './fixed.ts';

export { EPIDEMIC, INVENTORY, KEY, REHEARSAL, SERVICE_SYSTEM, SHIPPED_MODELS };

const cleanups: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

export function onCleanup(cleanup: () => Promise<void> | void): void {
  cleanups.push(cleanup);
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'foray-service-'));
  onCleanup(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Writes a model as `<folder>/<name>/model.js`. `source` is the text of the module. */
export function writeModel(folder: string, name: string, source: string): void {
  mkdirSync(path.join(folder, name), { recursive: true });
  writeFileSync(path.join(folder, name, 'model.js'), source);
}

export interface Answer<T> {
  status: number;
  headers: Headers;
  body: T;
}

/** A started service, which tests use only over HTTP. */
export interface TestService {
  running: RunningService;
  dataDir: string;
  close(): Promise<void>;
  get<T>(path: string, headers?: Record<string, string>): Promise<Answer<T>>;
  post<T>(path: string, body: unknown, headers?: Record<string, string>): Promise<Answer<T>>;
  /** The id of a model's latest version. */
  latest(model: string): Promise<string>;
}

async function started(options: Partial<ServiceOptions>, dataDir: string): Promise<TestService> {
  const running = await startService({
    modelDirs: [REHEARSAL],
    executors: 2,
    apiKey: KEY,
    ...options,
    dataDir,
  });
  let closing: Promise<void> | undefined;
  const close = () => (closing ??= running.close());
  return { ...clientOf(running.url), running, dataDir, close };
}

export async function startTestService(options: Partial<ServiceOptions> = {}): Promise<TestService> {
  const service = await started(options, options.dataDir ?? temporaryFolder());
  onCleanup(() => service.close());
  return service;
}

/** Starts one service for all tests of a file. Returns a function that gives it. */
export function sharedService(options: Partial<ServiceOptions>): () => TestService {
  let service: TestService;
  beforeAll(async () => {
    service = await started(options, mkdtempSync(path.join(os.tmpdir(), 'foray-service-')));
  });
  afterAll(async () => {
    await service.close();
    rmSync(service.dataDir, { recursive: true, force: true });
  });
  return () => service;
}

/** Returns functions that send requests to a service. Requests without another key have the key of the tests. */
export function clientOf(url: string): Pick<TestService, 'get' | 'post' | 'latest'> {
  async function send<T>(pathname: string, init: RequestInit): Promise<Answer<T>> {
    const headers = { Authorization: KEY, ...(init.headers as Record<string, string>) };
    const response = await fetch(`${url}${pathname}`, { ...init, headers });
    return { status: response.status, headers: response.headers, body: (await response.json()) as T };
  }
  const post = <T>(pathname: string, body: unknown, headers = {}) =>
    send<T>(pathname, { method: 'POST', headers, body: JSON.stringify(body) });
  return {
    get: (pathname, headers = {}) => send(pathname, { headers }),
    post,
    async latest(model) {
      const { body } = await post<{ modelVersions: string[] }>('/models/name/', model);
      return body.modelVersions.at(-1)!;
    },
  };
}

export async function upload(
  { running }: Pick<TestService, 'running'>,
  body: Buffer | string,
): Promise<{ status: number; body: string }> {
  const headers = { Authorization: KEY };
  const response = await fetch(`${running.url}/upload-file/`, { method: 'POST', headers, body });
  return { status: response.status, body: (await response.json()) as string };
}

export function simulation(inputs: Record<string, RequestInputItem['value']>) {
  return {
    experimentType: 'SIMULATION',
    inputs: Object.entries(inputs).map(([name, value]) => ({ name, value })),
  };
}

export type Requested = Pick<TestService, 'get' | 'post'>;

export function requestRun(
  service: Requested,
  version: string,
  inputs: Parameters<typeof simulation>[0] = {},
): Promise<Answer<Run>> {
  return service.post<Run>(`/versions/${version}/runs`, simulation(inputs));
}

export async function stateOf(service: Requested, { modelVersionId, id }: Run): Promise<RunState> {
  const { body } = await service.get<RunState>(`/versions/${modelVersionId}/runs/${id}/progress`);
  return body;
}

/** Waits until a run has the given status. Returns the state of the run. Throws if it ends with another status. */
export async function reach(service: Requested, run: Run, status: RunState['status']): Promise<RunState> {
  return await until(async () => {
    const state = await stateOf(service, run);
    if (state.status === status) return state;
    if (state.status === 'FRESH' || state.status === 'RUNNING') return undefined;
    throw new Error(`run ${run.id} is ${state.status}, not ${status}: ${state.message}`);
  }, `run ${run.id} to be ${status}`);
}

/** The versions of a model. Each version has a state: current, kept or retired. */
export async function versionsOf(service: Requested, model: string): Promise<VersionSummary[]> {
  const { body } = await service.post<{ id: string }>('/models/name/', model);
  return (await service.get<VersionSummary[]>(`/models/${body.id}/kept-versions`)).body;
}

/** Requests a run, and waits until it is completed. Returns the values of its outputs by name. */
export async function outputsOf(
  service: Requested,
  version: string,
  inputs: Parameters<typeof simulation>[0] = {},
): Promise<Map<string, string>> {
  const { body: run } = await requestRun(service, version, inputs);
  await reach(service, run, 'COMPLETED');
  const { body } = await service.post<Outputs>(`/versions/${version}/results/${run.id}`, []);
  return new Map(body.map(({ outputs, value }) => [outputs[0]!.name, value]));
}

export function messageIn({ message }: RunState): RunMessage {
  return JSON.parse(message!) as RunMessage;
}

/** The answer of a service to a health check. A health check needs no key. */
export async function healthOf(url: string): Promise<Health> {
  return Health.parse(await (await fetch(new URL('/health', url))).json());
}

/** Repeats a call until the call returns a value. Throws an error after two minutes. */
export async function until<T>(ask: () => Promise<T | undefined> | T | undefined, what: string): Promise<T> {
  const deadline = Date.now() + 120_000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error(`timed out while waiting for ${what}`);
    await delay(10);
  }
}

/** Reads rows directly from the database of a service. */
export function rows(dataDir: string, sql: string): Record<string, unknown>[] {
  const db = new DatabaseSync(path.join(dataDir, 'service.db'), { readOnly: true });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}
