import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { writeCommandModel } from '../service/command-model.ts';
import { outputsOf, startTestService, temporaryFolder, type TestService, until } from '../service/support.ts';
import { seeded } from '../support/durations.ts';
import { isFull, report, seeds } from '../support/seeds.ts';

/**
 * A model prints everything that it can read in its folder. Whatever changes there, and whenever, one version of the
 * model never has two answers, and the newest version soon answers what the folder has now.
 */

const STEPS = isFull ? 60 : 8;

interface Place {
  models: string;
  model: string;
  outside: string;
}

/** What the program prints, computed here a second time. */
function readAll(folder: string): string {
  const names = readdirSync(folder).filter((name) => !['model.yaml', 'sim.mjs'].includes(name));
  return names
    .toSorted()
    .map((name) => {
      const file = path.join(folder, name);
      const found = statSync(file);
      if (found.isDirectory()) return `${name}/{${readAll(file)}}`;
      return `${name}=${found.mode & 0o100}:${readFileSync(file, 'utf8')}`;
    })
    .join(';');
}

const PROGRAM = `
  const { readdirSync, statSync } = await import('node:fs');
  const readAll = (folder) => readdirSync(folder).filter((name) => !['model.yaml', 'sim.mjs'].includes(name)).sort().map((name) => {
    const file = folder + '/' + name;
    const found = statSync(file);
    if (found.isDirectory()) return name + '/{' + readAll(file) + '}';
    return name + '=' + (found.mode & 0o100) + ':' + readFileSync(file, 'utf8');
  }).join(';');
  say({ outputs: { Out: readAll(process.env.FORAY_MODEL_DIR) } });`;

function makePlace(): Place {
  const [models, outside] = [temporaryFolder(), temporaryFolder()];
  writeCommandModel(models, 'Reads', PROGRAM, ['Out: STRING']);
  const model = path.join(models, 'Reads');
  for (const folder of [
    path.join(model, '.config'),
    path.join(model, 'tables'),
    path.join(outside, 'folder'),
  ])
    mkdirSync(folder);
  for (const file of [...ownFiles, ...outsideFiles].map((name) => fileIn({ models, model, outside }, name)))
    writeFileSync(file, 'aaaa');
  symlinkSync(path.join(outside, 'linked.txt'), path.join(model, 'link.txt'));
  symlinkSync(path.join(outside, 'folder'), path.join(model, 'folder'));
  return { models, model, outside };
}

const ownFiles = ['.env', '.config/p', 'data.txt', 'tables/t.csv'];
const outsideFiles = ['outside:linked.txt', 'outside:folder/deep.txt', 'outside:other.txt'];
const fileIn = ({ model, outside }: Place, name: string): string =>
  name.startsWith('outside:') ? path.join(outside, name.slice(8)) : path.join(model, name);

/** Changes of what the model reads. `word` is a text of four letters, `at` a number. */
const changes: Record<string, (place: Place, word: string, at: number) => void> = {
  write: (place, word, at) => writeFileSync(anyFile(place, at), word),
  'write with the same size and times': (place, word, at) => {
    const file = anyFile(place, at);
    const { atime, mtime } = statSync(file);
    writeFileSync(file, word);
    utimesSync(file, atime, mtime);
  },
  'replace by a rename': (place, word, at) => {
    const file = anyFile(place, at);
    const aside = path.join(place.outside, 'aside');
    writeFileSync(aside, word);
    renameSync(aside, file);
  },
  'lead a link elsewhere': ({ model, outside }, _word, at) => {
    const link = path.join(model, 'link.txt');
    rmSync(link);
    symlinkSync(path.join(outside, at % 2 === 0 ? 'linked.txt' : 'other.txt'), link);
  },
  'add a file': ({ model }, word, at) => writeFileSync(path.join(model, `.new-${at % 3}`), word),
  'remove a file': ({ model }, _word, at) => rmSync(path.join(model, `.new-${at % 3}`), { force: true }),
  'change a permission': ({ model }, _word, at) =>
    chmodSync(path.join(model, 'data.txt'), at % 2 === 0 ? 0o755 : 0o644),
};

function anyFile(place: Place, at: number): string {
  const all = [...ownFiles, ...outsideFiles.slice(0, 2)];
  return fileIn(place, all[at % all.length]!);
}

test.each(seeds(1, 5))(
  'one version never has two answers while its files change, seed %i',
  async (seed) => {
    const random = seeded(seed);
    const number = (below: number): number => Math.floor(random() * below);
    const place = makePlace();
    const dataDir = temporaryFolder();
    const start = (): Promise<TestService> =>
      startTestService({ dataDir, modelDirs: [place.models], executors: 2 });
    let service = await start();
    let runs = 0;
    /** All answers of each version. */
    const answers = new Map<string, Set<string>>();
    const ask = async (version: string): Promise<string> => {
      // another input, so that each version executes again
      runs += 1;
      const answer = JSON.parse((await outputsOf(service, version, { N: runs })).get('Out')!) as string;
      answers.set(version, (answers.get(version) ?? new Set()).add(answer));
      return answer;
    };
    const now = () => readAll(place.model);
    const isAnswered = () =>
      until(
        async () => (await ask(await service.latest('Reads'))) === now() || undefined,
        'the answer of today',
      );

    await isAnswered();
    const names = Object.keys(changes);
    for (let step = 0; step < STEPS; step += 1) {
      const word = Array.from({ length: 4 }, () => 'ab'[number(2)]).join('');
      const name = names[(step + number(2)) % names.length]!;
      const isRunning = random() < 0.3;
      // a run that begins before the change, or together with it
      const early = isRunning ? ask(await service.latest('Reads')) : undefined;
      const isStopped = random() < 0.2;
      if (isStopped) {
        await early;
        await service.close();
      }
      changes[name]!(place, word, number(100));
      if (isStopped) service = await start();
      await early;
      await isAnswered();
      const known = [...answers.keys()];
      await ask(known[number(known.length)]!);
    }
    for (const version of answers.keys()) await ask(version);
    expect([...answers.values()].filter((all) => all.size !== 1)).toEqual([]);
    expect(existsSync(path.join(place.model, 'sim.mjs'))).toBe(true);
    report(`versions of files, seed ${seed}: ${answers.size} versions, each with one answer in ${runs} runs`);
  },
  isFull ? 1_200_000 : 240_000,
);
