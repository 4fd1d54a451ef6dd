import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, jest, test } from '@jest/globals';
import { describeModel } from '../../src/service/models/describe.ts';
import { placeOf } from '../../src/service/models/folder.ts';
import type { FoundModel } from '../../src/service/models/reader.ts';
import { ModelReader } from '../../src/service/models/reader.ts';
import { cleanEnv, foray, isRunning, MAIN, startDev } from '../support/cli.ts';
import {
  KEY,
  onCleanup,
  outputsOf,
  startTestService,
  temporaryFolder,
  type TestService,
  until,
} from '../service/support.ts';

/** Models in Python whose files take long to load, or never end. */

/** Writes `<folder>/<name>/model.py`, with further lines at its top. */
function writePython(folder: string, name: string, top = ''): void {
  mkdirSync(path.join(folder, name), { recursive: true });
  const text = `
import os, time
from typing import TypedDict
from foray_model import model
${top}
class Result(TypedDict):
    y: float
@model
def ${name}(x: float = 1.0) -> Result:
    return {"y": x}
`;
  writeFileSync(path.join(folder, name, 'model.py'), text);
}

/** Lines of a file that never ends, and writes its process id to another file. */
const endless = (pidFile: string): string =>
  `open(${JSON.stringify(pidFile)}, "w").write(str(os.getpid()))\nwhile True: time.sleep(0.01)`;

const pidIn = (file: string): Promise<number> =>
  until(() => (existsSync(file) && Number(readFileSync(file, 'utf8'))) || undefined, 'the process id');
const hasEnded = (pid: number): Promise<unknown> =>
  until(() => (isRunning(pid) ? undefined : true), 'the end of the process');

const namesOf = (models: ReadonlyMap<string, FoundModel>): string[] =>
  [...models.values()].map(({ declaration }) => declaration.name).sort();

test('a model that is loaded for ever holds up no other one, and is loaded again when its file changes', async () => {
  const folder = temporaryFolder();
  const pids = path.join(temporaryFolder(), 'pid');
  writePython(folder, 'slow', endless(pids));
  writePython(folder, 'good');
  const reader = new ModelReader([folder], Date.now);
  onCleanup(() => reader.close());
  const reading = async (names: string[]) =>
    until(
      async () => {
        const found = await reader.read(0);
        return String(namesOf(found.models)) === String(names) ? found : undefined;
      },
      `the models ${names.join(', ')}`,
    );
  const { skipped, isWaiting, invalid } = await reading(['Good']);
  expect([skipped, isWaiting, invalid]).toEqual([
    [expect.stringContaining('slow is not served yet: it is still being loaded')],
    true,
    [],
  ]);
  const pid = await pidIn(pids);
  writePython(folder, 'slow');
  expect(await reading(['Good', 'Slow'])).toMatchObject({ skipped: [], isWaiting: false });
  await hasEnded(pid);
  // a loading ends with the reader
  writePython(folder, 'late', endless(`${pids}2`));
  await reader.read(0);
  const last = await pidIn(`${pids}2`);
  reader.close();
  await hasEnded(last);
});

test('a process that a file has started while it was loaded is ended, and is not waited for', async () => {
  const folder = temporaryFolder();
  const pids = path.join(temporaryFolder(), 'pid');
  const start = 'import subprocess\nhelper = subprocess.Popen(["sleep", "614"], start_new_session=True)';
  writePython(folder, 'served', `${start}\nopen(${JSON.stringify(pids)}, "w").write(str(helper.pid))`);
  const { declaration } = await describeModel(placeOf(path.join(folder, 'served/model.py'), []));
  expect(declaration.name).toBe('Served');
  await hasEnded(await pidIn(pids));
});

test('a service starts without a model that is loaded for ever, and serves it when its file is mended', async () => {
  const folder = temporaryFolder();
  const pids = path.join(temporaryFolder(), 'pid');
  writePython(folder, 'slow', endless(pids));
  writePython(folder, 'good');
  const lines: string[] = [];
  // the patience of the start passes at once, and that of later readings has passed
  let now = -1e9;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => (now += 31_000));
  const options = { modelDirs: [folder], executors: 1, onProblem: (line: string) => lines.push(line) };
  const service = await startTestService(options).finally(() => clock.mockRestore());
  const served = async (of: TestService, name: string): Promise<string> =>
    until(async () => {
      const { body } = await of.post<{ modelVersions?: string[] }>('/models/name/', name);
      return body.modelVersions?.at(-1);
    }, `the model ${name}`);
  expect((await outputsOf(service, await served(service, 'Good'), { X: 2 })).get('Y')).toBe('2');
  expect(lines.filter((line) => line.includes('slow is not served yet'))).toHaveLength(1);
  expect(lines[0]).toMatch(/^Waiting for models that take long to load: .*\/slow\/model\.py\.$/);
  const pid = await pidIn(pids);
  writePython(folder, 'slow');
  expect((await outputsOf(service, await served(service, 'Slow'), { X: 3 })).get('Y')).toBe('3');
  await hasEnded(pid);
});

test('a pushed model that is loaded for ever is refused with the reason', async () => {
  const service = await startTestService({ modelDirs: [] });
  const folder = temporaryFolder();
  const pids = path.join(folder, 'pid');
  writePython(folder, 'slow', endless(pids));
  const text = readFileSync(path.join(folder, 'slow/model.py'), 'utf8');
  const file = { path: 'slow/model.py', sha256: createHash('sha256').update(text).digest('hex') };
  const request = { folders: ['slow'], entry: file.path, files: [{ ...file, mode: 0o644 }] };
  const headers = { Authorization: KEY };
  await fetch(`${service.running.url}/push/file`, { method: 'POST', headers, body: text });
  // all limits of time have passed as soon as the file is being loaded
  const end = new AbortController();
  void pidIn(pids).then(() => end.abort(new DOMException('', 'TimeoutError')));
  const limits = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(end.signal);
  const { body } = await service
    .post<{ error: string }>('/push/model', request)
    .finally(() => limits.mockRestore());
  expect(JSON.stringify(body)).toContain('The model takes longer than 45 s to load.');
  await hasEnded(await pidIn(pids));
});

test('a command that is killed while it loads a model leaves no process', async () => {
  const folder = temporaryFolder();
  const pids = path.join(folder, 'pid');
  writePython(folder, 'slow', endless(pids));
  const command = spawn(process.execPath, [MAIN, 'models', 'check', 'slow'], {
    cwd: folder,
    env: cleanEnv(),
    stdio: 'ignore',
  });
  const pid = await pidIn(pids);
  command.kill('SIGKILL');
  await hasEnded(pid);
});

test('foray dev ends at once with the mistake of a model, also if another one is loaded for ever', async () => {
  const folder = temporaryFolder();
  const pids = path.join(folder, 'pid');
  writePython(folder, 'slow', endless(pids));
  writePython(
    folder,
    'wrong',
    `while not os.path.exists(${JSON.stringify(pids)}): time.sleep(0.01)\nraise ValueError("out of luck")`,
  );
  const { code, stderr } = await foray(folder, ['dev', '--models', folder]);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('wrong cannot be loaded: ValueError: out of luck'),
  ]);
  await hasEnded(await pidIn(pids));
});

test('foray dev loads the file of a model once at its start', async () => {
  const folder = temporaryFolder();
  const loads = path.join(temporaryFolder(), 'loads');
  const count = `import sys\nif "describe" in sys.orig_argv: open(${JSON.stringify(loads)}, "a").write("x")`;
  writePython(path.join(folder, 'models'), 'good', count);
  const dev = await startDev({ folder, args: ['--models', 'models'] });
  await dev.stop();
  expect(readFileSync(loads, 'utf8')).toBe('x');
});
