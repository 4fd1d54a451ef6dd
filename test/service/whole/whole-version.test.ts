import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { findModels, hashContent, stateOf } from '../../../src/service/models/folder.ts';
import { writeCommandModel, writeLoopModel } from '../command-model.ts';
import { outputsOf, startTestService, temporaryFolder, until, versionsOf, writeModel } from '../support.ts';

/** The changes of what a model reads. Each must make a new version. */
const changes: Record<string, (model: string, outside: string) => void> = {
  'a hidden file': (model) => writeFileSync(path.join(model, '.env'), 'changed'),
  'a file in a hidden folder': (model) => writeFileSync(path.join(model, '.config/p'), 'changed'),
  'the target of a link': (_, outside) => writeFileSync(path.join(outside, 'linked.txt'), 'changed'),
  'a file behind a link to a folder': (_, outside) =>
    writeFileSync(path.join(outside, 'folder/deep.txt'), 'changed'),
  'a write in place that restores size and time': (model) => {
    const file = path.join(model, 'data.txt');
    const { atime, mtime } = statSync(file);
    writeFileSync(file, readFileSync(file, 'utf8').split('').reverse().join(''));
    utimesSync(file, atime, mtime);
  },
  'a new file': (model) => writeFileSync(path.join(model, '.new'), 'changed'),
  'a removed file': (model) => rmSync(path.join(model, '.env')),
  'permission to execute': (model) => chmodSync(path.join(model, 'data.txt'), 0o755),
};

/** A model whose output is everything that it can read, in one text. */
function writeAll(): { models: string; model: string; outside: string } {
  const [models, outside] = [temporaryFolder(), temporaryFolder()];
  writeCommandModel(
    models,
    'Reads',
    `const { readdirSync, statSync } = await import('node:fs');
     const own = process.env.FORAY_MODEL_DIR;
     const read = (folder) => readdirSync(folder).sort().map((name) => {
       const file = folder + '/' + name;
       const found = statSync(file);
       return found.isDirectory() ? read(file) : name + '=' + (found.mode & 0o100) + readFileSync(file, 'utf8').slice(0, 50);
     }).join();
     say({ outputs: { Out: read(own) } });`,
    ['Out: STRING'],
  );
  const model = path.join(models, 'Reads');
  mkdirSync(path.join(model, '.config'));
  mkdirSync(path.join(outside, 'folder'));
  writeFileSync(path.join(model, '.env'), 'x=1');
  writeFileSync(path.join(model, '.config/p'), 'p');
  writeFileSync(path.join(model, 'data.txt'), 'abc');
  writeFileSync(path.join(outside, 'linked.txt'), 'linked');
  writeFileSync(path.join(outside, 'folder/deep.txt'), 'deep');
  symlinkSync(path.join(outside, 'linked.txt'), path.join(model, 'link.txt'));
  symlinkSync(path.join(outside, 'folder'), path.join(model, 'folder'));
  return { models, model, outside };
}

/** Waits until the clock of the disk, which has steps of some milliseconds, shows another time than that of a file. */
async function nextTick(file: string): Promise<void> {
  const probe = path.join(temporaryFolder(), 'probe');
  await until(() => {
    writeFileSync(probe, '');
    return statSync(probe).ctimeMs > statSync(file).ctimeMs || undefined;
  }, 'the clock of the disk');
}

test.each(Object.entries(changes))('%s makes a new version of a model', async (_, change) => {
  const { models, model, outside } = writeAll();
  const [place] = findModels(models);
  const [state, hash] = [stateOf(place!), await hashContent(place!)];
  await nextTick(path.join(model, 'data.txt'));
  change(model, outside);
  expect(stateOf(place!)).not.toBe(state);
  expect(await hashContent(place!)).not.toBe(hash);
});

test('the hash of a large file gives other work turns', async () => {
  const { models, model } = writeAll();
  truncateSync(path.join(model, 'data.txt'), 2 ** 28);
  let turns = 0;
  const other = setInterval(() => (turns += 1), 1);
  await hashContent(findModels(models)[0]!);
  clearInterval(other);
  expect(turns).toBeGreaterThan(1);
});

test('files of tools and editors are no part of a model, and a link to itself does no harm', async () => {
  const { models, model } = writeAll();
  const [place] = findModels(models);
  const hash = await hashContent(place!);
  for (const folder of ['.git', '__pycache__', '.venv', 'node_modules', '.pytest_cache']) {
    mkdirSync(path.join(model, folder));
    writeFileSync(path.join(model, folder, 'file'), '');
  }
  writeFileSync(path.join(model, '.sim.mjs.swp'), '');
  expect(await hashContent(place!)).toBe(hash);
  symlinkSync('.', path.join(model, 'self'));
  expect(await hashContent(place!)).not.toBe(hash);
});

const MARKS = `const wait = async (name) => {
  writeFileSync(marks + '/at-' + name, '');
  while (!existsSync(marks + '/' + name)) await new Promise((resolve) => setTimeout(resolve, 10));
};`;

/** Models whose runs read the first letter of `data.txt` between two marks. */
const readers: Record<string, (models: string, marks: string) => void> = {
  'a module': (models, marks) =>
    writeModel(
      models,
      'Waits',
      `import { existsSync, readFileSync, writeFileSync } from 'node:fs';
       const marks = ${JSON.stringify(marks)};
       ${MARKS}
       export default {
         name: 'Waits', description: '', inputs: [{ name: 'N', type: 'DOUBLE', default: 1 }],
         outputs: [{ name: 'Out', type: 'STRING' }],
         async run() {
           await wait('changed');
           const Out = readFileSync(import.meta.dirname + '/data.txt', 'utf8').slice(0, 1);
           await wait('restored');
           return { Out };
         },
       };`,
    ),
  'a program': (models, marks) =>
    writeCommandModel(
      models,
      'Waits',
      `const { existsSync } = await import('node:fs');
       const marks = ${JSON.stringify(marks)};
       ${MARKS}
       await wait('changed');
       const Out = readFileSync(process.env.FORAY_MODEL_DIR + '/data.txt', 'utf8').slice(0, 1);
       await wait('restored');
       say({ outputs: { Out } });`,
      ['Out: STRING'],
    ),
  'a program that stays loaded': (models, marks) =>
    writeLoopModel(models, 'Waits', {
      before: `const marks = ${JSON.stringify(marks)}; ${MARKS}`,
      body: `await wait('changed');
        const Out = readFileSync(process.env.FORAY_MODEL_DIR + '/data.txt', 'utf8').slice(0, 1);
        await wait('restored');
        answer(Out);`,
      type: 'STRING',
    }),
};
/** A file of this size is not copied for each executor, in bytes. */
const LARGE = 17 * 2 ** 20;

// whether the file is restored does not depend on what reads it
test.each([
  ['a module', 'changed and restored'],
  ['a program', 'changed'],
  ['a program that stays loaded', 'changed and restored'],
])(
  '%s that reads a large file which is %s during its run gives the answer of its version',
  async (reader, how) => {
    const [models, marks] = [temporaryFolder(), temporaryFolder()];
    readers[reader]!(models, marks);
    const file = path.join(models, 'Waits/data.txt');
    const large = Buffer.alloc(LARGE, 'a');
    writeFileSync(file, large);
    const service = await startTestService({ modelDirs: [models], executors: 1 });
    const version = await service.latest('Waits');
    const answer = outputsOf(service, version, { N: 2 });
    const reached = (mark: string) =>
      until(() => existsSync(path.join(marks, `at-${mark}`)) || undefined, mark);
    await reached('changed');
    await nextTick(file);
    writeFileSync(file, 'b');
    writeFileSync(path.join(marks, 'changed'), '');
    await reached('restored');
    if (how === 'changed and restored') writeFileSync(file, large);
    writeFileSync(path.join(marks, 'restored'), '');
    expect((await answer).get('Out')).toBe('"a"');
  },
);

test('the runs of a module that writes beside itself are executed in its kept files, and completed', async () => {
  const models = temporaryFolder();
  writeModel(
    models,
    'Writes',
    `import { writeFileSync } from 'node:fs';
     export default {
       name: 'Writes', description: '', inputs: [{ name: 'N', type: 'DOUBLE', default: 1 }],
       outputs: [{ name: 'Out', type: 'DOUBLE' }],
       run({ inputs }) {
         writeFileSync(import.meta.dirname + '/data.txt', 'the same');
         return { Out: 2 * inputs.N };
       },
     };`,
  );
  writeFileSync(path.join(models, 'Writes/data.txt'), 'the same');
  const service = await startTestService({ modelDirs: [models], executors: 1 });
  const version = await service.latest('Writes');
  for (const N of [1, 2, 3])
    expect((await outputsOf(service, version, { N })).get('Out')).toBe(String(2 * N));
  expect(await service.latest('Writes')).toBe(version);
});

test('a link to the folder of a model in a folder of models is served', async () => {
  const [models, elsewhere] = [temporaryFolder(), temporaryFolder()];
  writeCommandModel(elsewhere, 'Linked', `say({ outputs: { Out: 2 } });`);
  symlinkSync(path.join(elsewhere, 'Linked'), path.join(models, 'linked'));
  symlinkSync('.', path.join(models, 'self'));
  expect(findModels(models).map(({ entry }) => entry)).toEqual([path.join(models, 'linked/model.yaml')]);
  const service = await startTestService({ modelDirs: [models], executors: 1 });
  expect((await outputsOf(service, await service.latest('Linked'))).get('Out')).toBe('2');
});

/** What looks like a model and is none: how to make it in a folder, and the words that say why. */
const skipped: Record<string, [make: (models: string) => void, words: string]> = {
  dangling: [
    (models) => symlinkSync('/nowhere/model', path.join(models, 'dangling')),
    'the link leads to /nowhere/model, which does not exist.',
  ],
  circle: [(models) => symlinkSync('circle', path.join(models, 'circle')), 'the link leads in a circle.'],
  yml: [(models) => writeIn(models, 'yml', 'model.yml'), 'its file model.yml must be named model.yaml.'],
  capital: [
    (models) => writeIn(models, 'capital', 'Model.YAML'),
    'its file Model.YAML must be named model.yaml.',
  ],
  mjs: [(models) => writeIn(models, 'mjs', 'model.mjs'), 'its file model.mjs must be named model.js.'],
  'group/deep': [
    (models) => writeIn(models, 'group/deep', 'model.yaml'),
    'only folders directly in a folder of models are models.',
  ],
};

function writeIn(models: string, folder: string, name: string): void {
  mkdirSync(path.join(models, folder), { recursive: true });
  writeFileSync(path.join(models, folder, name), '');
}

test('what looks like a model and is not served is said in one line, at the start and when it appears', async () => {
  const models = temporaryFolder();
  writeCommandModel(models, 'Served', `say({ outputs: { Out: 2 } });`);
  const [first, ...later] = Object.entries(skipped);
  first![1][0](models);
  const lines: string[] = [];
  await startTestService({ modelDirs: [models], executors: 1, onProblem: (line) => lines.push(line) });
  const about = ([name, [, words]]: (typeof later)[number]): string =>
    `${path.join(models, name)} is not served: ${words}`;
  expect(lines).toEqual([about(first!)]);
  for (const one of later) {
    one[1][0](models);
    await until(() => lines.includes(about(one)) || undefined, about(one));
  }
  expect(lines.toSorted()).toEqual([first!, ...later].map(about).toSorted());
});

test('a change of a model is found also while another model beside it is not valid', async () => {
  const models = temporaryFolder();
  writeCommandModel(models, 'Served', `say({ outputs: { Out: 2 } });`);
  const lines: string[] = [];
  const onModels = (line: string) => void lines.push(line);
  const service = await startTestService({ modelDirs: [models], executors: 1, onModels });
  writeIn(models, 'two', 'model.yaml');
  writeIn(models, 'two', 'model.js');
  await until(() => lines.some((line) => line.includes('model.js and model.yaml')) || undefined, 'the error');
  writeFileSync(path.join(models, 'Served/data.txt'), 'new');
  await until(async () => (await versionsOf(service, 'Served')).length > 1 || undefined, 'a version');
});
