import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { ContentFiles } from '../../src/service/files/content.ts';
import type { FetchedVersion } from '../../src/service/fleet/protocol.ts';
import type { FleetClient } from '../../src/service/remote-executor/fleet-client.ts';
import { RemoteMaterials } from '../../src/service/remote-executor/materials.ts';
import { writeCommandModel } from '../service/command-model.ts';
import { rows, startTestService, temporaryFolder } from '../service/support.ts';

/** The size of the data of each version, in bytes. Two versions fit into the cache, and three do not. */
const SIZE = 10_000;
const FIT = 2.5 * SIZE;

/**
 * A service with versions of models, and an executor's cache of their code. The program of a model is a comment that
 * repeats its name, which is one letter.
 */
async function world(models: readonly string[]) {
  const folder = temporaryFolder();
  for (const name of models) writeCommandModel(folder, name, `// ${name.repeat(SIZE)}`);
  const service = await startTestService({ modelDirs: [folder] });
  const versions = new Map<string, FetchedVersion>();
  /** The hashes of the fetched files, in order. */
  const fetched: string[] = [];
  const stored = rows(
    service.dataDir,
    'SELECT versions.id, name, manifest, template FROM versions JOIN models ON models.id = model_id',
  );
  const ids = new Map(stored.map(({ id, name }) => [name as string, id as string]));
  for (const { id, manifest, template } of stored) {
    versions.set(id as string, {
      manifest: JSON.parse(manifest as string) as FetchedVersion['manifest'],
      template: JSON.parse(template as string) as FetchedVersion['template'],
      retired: null,
      isLeaky: false,
    });
  }
  const contents = new ContentFiles(path.join(service.dataDir, 'versions', 'content'));
  const client = {
    version: (id: string) => Promise.resolve(versions.get(id)!),
    fetchCode(hash: string, file: string) {
      fetched.push(hash);
      copyFileSync(contents.pathOf(hash), file);
      return Promise.resolve();
    },
  } as unknown as FleetClient;
  const cache = temporaryFolder();
  const runOf = (name: string) => ({ id: name, versionId: ids.get(name)!, inputs: { N: '1', File: '' } });
  return {
    fetched,
    runOf,
    start: () => {
      // this test keeps no outputs, so the number of uploads at once does not matter
      const mostUploads = 1;
      const materials = new RemoteMaterials(client, cache, mostUploads, FIT);
      materials.prepare();
      const begin = (name: string) => materials.jobOf(runOf(name));
      return {
        begin,
        async use(name: string) {
          const job = await begin(name);
          materials.release(job, runOf(name));
          return job;
        },
        end: (job: Awaited<ReturnType<typeof begin>>, name: string) => materials.release(job, runOf(name)),
      };
    },
    /** The letters of the models whose code is in the cache. */
    kept: () =>
      readdirSync(path.join(cache, 'versions', 'cache'), { recursive: true, withFileTypes: true })
        .filter(({ name }) => name === 'sim.mjs')
        .map(
          ({ parentPath, name }) => /\/\/ (.)/.exec(readFileSync(path.join(parentPath, name), 'utf8'))![1]!,
        )
        .sort()
        .join(''),
    contents: () =>
      readdirSync(path.join(cache, 'versions', 'content'), { recursive: true, withFileTypes: true }).filter(
        (entry) => entry.isFile(),
      ).length,
  };
}

test('an executor removes the code of the least recently used versions, but not the code of executing runs', async () => {
  const { start, kept, contents, fetched } = await world(['A', 'B', 'C', 'D']);
  const executor = start();
  const executing = await executor.begin('A');
  for (const name of ['B', 'C', 'B', 'D']) await executor.use(name);
  // the size of A counts only after the end of its run, so B and D still fit
  expect(kept()).toBe('ABD');
  expect(existsSync(executing.code.entry)).toBe(true);
  // the cache of contents has a limit, too: each of the four versions has two files, model.yaml and sim.mjs
  expect(contents()).toBeLessThan(8);
  executor.end(executing, 'A');
  await executor.use('B');
  // the executor has fetched removed code again
  expect(fetched.length).toBeGreaterThan(new Set(fetched).size);

  // a restarted executor uses the cache of the earlier executor
  const before = fetched.length;
  const again = start();
  expect((await again.use('B')).code.contentHash).toHaveLength(64);
  expect(fetched).toHaveLength(before);
  await again.use('C');
  await again.use('D');
  expect(kept()).not.toContain('A');
  expect(kept()).toHaveLength(2);
});
