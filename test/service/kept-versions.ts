import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Pruned, VersionSummary } from '../../src/api/extensions.ts';
import { writeCommandModel } from './command-model.ts';
import { type TestService, until, versionsOf } from './support.ts';

/**
 * Writes a model in TypeScript that uses the kernel. The model has code and data in its own folder, and code in the
 * folder `lib` beside its folder.
 */
export function writeKernelModel(models: string, factor: number): void {
  const folder = path.join(models, 'draws');
  mkdirSync(path.join(folder, 'parts'), { recursive: true });
  mkdirSync(path.join(models, 'lib'), { recursive: true });
  writeFileSync(path.join(folder, 'parts', 'factor.txt'), String(factor));
  writeFileSync(path.join(models, 'lib', 'twice.ts'), 'export const twice = (n: number): number => 2 * n;');
  writeFileSync(
    path.join(folder, 'model.ts'),
    `import { readFileSync } from 'node:fs';
     import { Mrg32k3a } from 'foray/kernel';
     import { defineModel } from 'foray/model';
     import { twice } from '../lib/twice.ts';
     const factor = Number(readFileSync(new URL('parts/factor.txt', import.meta.url), 'utf8'));
     export default defineModel({
       name: 'Draws', description: '', published: true,
       inputs: [
         { name: '{RANDOM_SEED}', type: 'LONG', default: 1 },
         { name: 'N', type: 'DOUBLE', default: 1, min: 0 },
       ],
       outputs: [{ name: 'Out', type: 'DOUBLE' }, { name: 'Drawn', type: 'DOUBLE' }],
       run({ inputs, seed }) {
         return { Out: twice(inputs.N) * factor, Drawn: new Mrg32k3a(seed).next() };
       },
     });`,
  );
}

export const writeProgram = (models: string, factor: number, more = '') =>
  writeCommandModel(models, 'Program', `${more} say({ outputs: { Out: inputs.N * ${factor} } });`);

export async function idOf(service: TestService, model: string): Promise<string> {
  return (await service.post<{ id: string }>('/models/name/', model)).body.id;
}

/** Waits until a model has exactly this number of versions. */
export async function untilVersions(
  service: TestService,
  model: string,
  count: number,
): Promise<VersionSummary[]> {
  return until(async () => {
    const versions = await versionsOf(service, model);
    return versions.length === count ? versions : undefined;
  }, `${count} versions of ${model}`);
}

export async function prune(service: TestService, model: string, which: object, headers = {}) {
  return service.post<Pruned>(`/models/${await idOf(service, model)}/prune`, which, headers);
}

export const contents = (service: TestService) => {
  const folder = path.join(service.dataDir, 'versions', 'content');
  return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
};
