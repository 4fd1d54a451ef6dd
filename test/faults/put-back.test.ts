import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { checkService } from '../../src/cli/doctor/service.ts';
import { REHEARSAL } from '../service/fixed.ts';
import { writeProgram } from '../service/kept-versions.ts';
import { temporaryFolder } from '../store/folder.ts';
import { toTheEnd } from '../support/campaigns.ts';
import { seeded } from '../support/durations.ts';
import { report, seeds } from '../support/seeds.ts';
import { until } from '../support/until.ts';
import { rehearsal, startWorld, type World } from '../support/world.ts';

/**
 * A run that cannot be executed is put back a bounded number of times. Its reason is in the status, in the explanation
 * and in the doctor's check of the service. Then it fails with this reason. Other campaigns go on meanwhile.
 */

const MOST_PUT_BACK = 20;

const models = temporaryFolder();
let world: World;
beforeAll(async () => {
  writeProgram(models.path, 0);
  world = await startWorld({ models: [models.path, REHEARSAL] });
  await world.startWorker();
});
afterAll(async () => {
  await world.close();
  models.remove();
});

const definitionOf = (version: number, points: number) => ({
  file: 'program.yaml',
  text: `campaign: program
model: {name: Program, version: ${version}}
design: {grid: {N: {from: 1, to: ${points}, step: 1}}}
`,
});

/** Writes the model with a factor, and waits until the service has this version. Returns its number. */
async function newVersion(factor: number): Promise<number> {
  const count = async () =>
    (await world.foray.models()).find(({ name }) => name === 'Program')!.modelVersions.length;
  const before = await count();
  writeProgram(models.path, factor);
  await until('the service has the changed model', async () => (await count()) > before);
  return before + 1;
}

/** The path of the kept file with this text. */
function keptAs(text: string): string | undefined {
  const folder = join(world.folder, 'service/versions/content');
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .find((file) => readFileSync(file, 'utf8') === text);
}

/** Ways to damage a text. Each gives another text. */
const damages: ((text: string, at: number) => string)[] = [
  (text, at) => text.slice(0, at),
  (text, at) => `${text.slice(0, at)}#${text.slice(at + 1)}`,
  (text, at) => text + text.slice(at),
  () => '',
];

test.each(seeds(1, 4))(
  'a run whose version cannot be executed says why everywhere, and fails after a bounded number of attempts, seed %i',
  async (seed) => {
    const random = seeded(seed);
    const pick = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
    const version = await newVersion(seed);
    const program = readFileSync(join(models.path, 'Program/sim.mjs'), 'utf8');
    await newVersion(seed + 0.5);
    const kept = keptAs(program)!;
    writeFileSync(kept, pick(damages)(program, 1 + Math.floor(random() * (program.length - 1))));

    const points = 1 + Math.floor(random() * 3);
    const id = `damaged-${seed}`;
    await world.foray.submit(definitionOf(version, points), { id });
    expect((await world.foray.status(id)).modelVersion).toBe(version);
    const why = /it cannot be executed now: the folder of the old version cannot be made/;
    await until('the status says why', async () => why.test((await world.foray.status(id)).note));
    await until('the explanation says why', async () => {
      const [key] = await world.foray['store'].keysLike(id, '');
      const { runs } = await world.foray.explain(id, key!);
      return runs.some((run) => why.test(run.why));
    });
    await until('the doctor says why', async () =>
      (await checkService(world.settings)).some(
        ({ state, message }) => state === 'failed' && /cannot be executed just now/.test(message),
      ),
    );
    // other campaigns go on, also one of the same model
    const others = [rehearsal({ count: 20, first: 100 * seed }), definitionOf(version + 1, 5)];
    for (const [at, other] of others.entries()) {
      await world.foray.submit(other, { id: `other-${seed}-${at}` });
      expect((await toTheEnd(world, `other-${seed}-${at}`)).runs).toMatchObject({ failed: 0 });
    }

    expect(await toTheEnd(world, id)).toMatchObject({ runs: { failed: points, done: 0 } });
    const reasons = (await world.rows(id)).map(({ reason }) => reason);
    for (const reason of reasons)
      expect(reason).toMatch(
        new RegExp(`^it could not be executed in ${MOST_PUT_BACK} attempts: the folder of the old version`),
      );
    // nothing is left to complain about
    await until('the doctor is content', async () =>
      (await checkService(world.settings)).every(({ state }) => state === 'ok'),
    );
    report(`put back, seed ${seed}: ${points} of ${points} runs failed after ${MOST_PUT_BACK} attempts`);
  },
);
