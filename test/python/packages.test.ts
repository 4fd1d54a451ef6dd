import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { placeOf } from '../../src/service/models/folder.ts';
import { type FoundModel, readModel } from '../../src/service/models/reader.ts';
import { readTriable } from '../../src/service/trials/trial.ts';
import { foray, ROOT } from '../support/cli.ts';
import {
  outputsOf,
  reach,
  requestRun,
  startTestService,
  temporaryFolder,
  until,
} from '../service/support.ts';

/** The packages of a model in Python are part of its version. */

/** The folder of packages in the virtual environment of a model. */
function packagesIn(model: string): string {
  const [python] = readdirSync(join(model, '.venv/lib'));
  return join(model, '.venv/lib', python!, 'site-packages');
}

/** Writes a package, as an installer does. */
function installIn(packages: string, name: string, number: string): void {
  const about = join(packages, `${name}_package-${number}.dist-info`);
  for (const folder of [join(packages, name), about]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(packages, name, '__init__.py'), `NUMBER = ${number}\n`);
  writeFileSync(
    join(about, 'METADATA'),
    `Metadata-Version: 2.1\nName: ${name}-package\nVersion: ${number}\n`,
  );
  writeFileSync(join(about, 'RECORD'), `${name}/__init__.py,,\n`);
}

/** A model with a package, as a function and as a program with a declaration, which writes into its folder when it is loaded. */
const MARKED = {
  'model.py': `from typing import TypedDict
from foray_model import model
import tiny
class Result(TypedDict):
    y: float
@model
def faulty(x: float = 1.0) -> Result:
    """Has a package."""
    return {"y": tiny.NUMBER * x}
`,
};
const SERVED = {
  'model.yaml': `name: Faulty
description: Has a package.
command: python3 sim.py
loop: true
inputs: [{ name: X, type: DOUBLE, default: 1 }]
outputs: [{ name: Y, type: DOUBLE }]
`,
  'foray_model.py': readFileSync(join(ROOT, 'python/foray_model.py'), 'utf8'),
  'sim.py': `import os, tiny
from foray_model import serve
print("a line before the others")
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "translated.txt"), "w") as file:
    file.write(str(os.getpid()))
serve(lambda inputs: {"Y": tiny.NUMBER * inputs["X"]})
`,
};

test.each(['@model', 'serve'])(
  'with %s has a new version with other packages, and no run of a version gets the packages of another',
  async (way) => {
    const folder = temporaryFolder();
    const model = join(folder, 'faulty');
    mkdirSync(model);
    await promisify(execFile)('python3', ['-m', 'venv', '--without-pip', join(model, '.venv')]);
    const packages = packagesIn(model);
    const install = (number: string): void => {
      for (const name of readdirSync(packages)) rmSync(join(packages, name), { recursive: true });
      installIn(packages, 'tiny', number);
    };
    install('1.5');
    for (const [name, content] of Object.entries(way === 'serve' ? SERVED : MARKED))
      writeFileSync(join(model, name), content);
    const entry = join(model, way === 'serve' ? 'model.yaml' : 'model.py');
    expect((await readTriable(placeOf(entry, []))).python).toMatch(
      /^Python 3\.\d+ with tiny-package 1\.5 \(.*\.venv\/bin\/python\d*\)$/,
    );
    const news: string[] = [];
    const service = await startTestService({
      modelDirs: [folder],
      executors: 1,
      onModels: (line) => news.push(line),
    });
    const first = await service.latest('Faulty');
    expect(readdirSync(model)).not.toContain('translated.txt');
    install('2.5');
    const { body: late } = await requestRun(service, first, { X: 1 });
    await until(() => news[0], 'the new version');
    expect(news).toEqual(['Faulty, version 2 (other packages: tiny-package 1.5, now 2.5)']);
    const second = await service.latest('Faulty');
    expect((await outputsOf(service, second, { X: 2 })).get('Y')).toBe('5');
    // a run of the first version waits until its packages are there again
    install('1.5');
    await reach(service, late, 'COMPLETED');
    expect((await outputsOf(service, first, { X: 3 })).get('Y')).toBe('4.5');
  },
);

test('has the packages that it imports, also from a new environment, a new package, or two folders', async () => {
  const root = temporaryFolder();
  const model = join(root, 'faulty');
  mkdirSync(model);
  const entry = join(model, 'model.py');
  writeFileSync(
    entry,
    `from typing import TypedDict
from foray_model import model
for name in ("tiny", "other"):
    try:
        __import__(name)
    except ImportError:
        pass
class Result(TypedDict):
    y: float
@model
def faulty(x: float = 1.0) -> Result:
    return {"y": x}
`,
  );
  const read = (last?: FoundModel): Promise<FoundModel> => readModel(root, placeOf(entry, []), last);
  const bare = await read();
  expect(bare.code.python).toMatchObject({ packages: {} });
  expect(await read(bare)).toMatchObject({ codeHash: bare.codeHash });
  const venv = ['-m', 'venv', '--without-pip', join(model, '.venv')];
  await promisify(execFile)('python3', venv);
  const packages = packagesIn(model);
  installIn(packages, 'tiny', '2.5');
  const tiny = await read(bare);
  expect(tiny.code.python!.packages).toEqual({ 'tiny-package': '2.5' });
  expect(tiny.codeHash).not.toBe(bare.codeHash);
  rmSync(join(packages, 'tiny'), { recursive: true });
  const none = await read(tiny);
  expect(none.code.python!.packages).toEqual({});
  installIn(packages, 'tiny', '2.5');
  expect(await read(none)).toMatchObject({ codeHash: tiny.codeHash });
  // a second folder has an older version, which Python does not import, and a package that it imports
  const second = join(root, 'zz/site-packages');
  installIn(second, 'tiny', '1.5');
  installIn(second, 'other', '3.5');
  writeFileSync(join(packages, 'second.pth'), `${second}\n`);
  expect((await read(tiny)).code.python!.packages).toEqual({
    'other-package': '3.5',
    'tiny-package': '2.5',
  });
});

test('has the packages that only a run imports, in the file itself or in a module beside it', async () => {
  const root = temporaryFolder();
  const model = join(root, 'faulty');
  mkdirSync(join(model, 'own'), { recursive: true });
  const entry = join(model, 'model.py');
  writeFileSync(
    entry,
    `from typing import TypedDict
from foray_model import model
class Result(TypedDict):
    y: float
@model
def faulty(x: float = 1.0) -> Result:
    """Has packages."""
    import other
    from own.deep import number
    return {"y": number() + other.NUMBER}
`,
  );
  writeFileSync(join(model, 'own/__init__.py'), '');
  writeFileSync(
    join(model, 'own/deep.py'),
    'def number():\n    from tiny import NUMBER\n    return NUMBER\n',
  );
  await promisify(execFile)('python3', ['-m', 'venv', '--without-pip', join(model, '.venv')]);
  const packages = packagesIn(model);
  installIn(packages, 'tiny', '1.5');
  installIn(packages, 'other', '3.5');
  installIn(packages, 'unused', '9.5');
  const read = (last?: FoundModel): Promise<FoundModel> => readModel(root, placeOf(entry, []), last);
  const first = await read();
  expect(first.code.python!.packages).toEqual({ 'other-package': '3.5', 'tiny-package': '1.5' });
  for (const name of readdirSync(packages)) rmSync(join(packages, name), { recursive: true });
  installIn(packages, 'tiny', '2.5');
  installIn(packages, 'other', '3.5');
  const second = await read(first);
  expect(second.code.python!.packages).toEqual({ 'other-package': '3.5', 'tiny-package': '2.5' });
  expect(second.codeHash).not.toBe(first.codeHash);
});

test('models check names what a model opens outside its folder, and the variables that it reads', async () => {
  const root = temporaryFolder();
  const [model, outside] = [join(root, 'faulty'), join(root, 'elsewhere')];
  for (const folder of [model, outside]) mkdirSync(folder);
  for (const name of ['loaded.csv', 'run.csv']) writeFileSync(join(outside, name), '1');
  writeFileSync(join(outside, 'late.py'), 'NUMBER = 1\n');
  writeFileSync(join(model, 'own.csv'), '1');
  // the paths are put together, so no text of the model names them
  writeFileSync(
    join(model, 'model.py'),
    `import os, sys
from typing import TypedDict
from foray_model import model
folder = os.path.dirname(os.path.abspath(__file__))
outside = os.path.join(os.environ.get("FORAY_TEST_DATA", "${root}"), "else" + "where")
def number(*place):
    with open(os.path.join(*place)) as file:
        return float(file.read())
loaded = number(outside, "loaded.csv")
class Result(TypedDict):
    y: float
@model
def faulty(x: float = 1.0) -> Result:
    """Reads what is elsewhere."""
    sys.path.append(outside)
    import late
    with open("output.txt", "w") as file:
        file.write(os.getenv("HOME", ""))
    return {"y": loaded + number(outside, "run.csv") + number(folder, "own.csv") + late.NUMBER}
`,
  );
  const { stdout, stderr, code } = await foray(root, ['models', 'check', model]);
  expect([code, stdout]).toEqual([0, expect.stringContaining('4')]);
  expect(stdout).toMatch(/It uses Python 3\.\d+ .*\(.*python\d*\)\./);
  const warnings = stderr.split('\n').filter((line) => line.includes('from outside its folder'));
  expect(warnings).toEqual([
    expect.stringContaining(`"Faulty" uses ${join(outside, 'loaded.csv')} from outside its folder`),
    expect.stringContaining(
      `"Faulty" uses ${join(outside, 'late.py')}, ${join(outside, 'run.csv')} from outside its folder`,
    ),
  ]);
  expect(stderr).toContain('"Faulty" reads the variable FORAY_TEST_DATA of the environment.');
  expect(stderr).not.toContain('HOME');
});
