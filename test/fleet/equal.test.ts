import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { addKey } from '../../src/keys/edit.ts';
import { writeCommandModel } from '../service/command-model.ts';
import { doubles, type Given, integers, range, results, variation } from '../service/experiments.ts';
import { clientOf, onCleanup, rows, SHIPPED_MODELS, startTestService, upload } from '../service/support.ts';
import { isFull, report } from '../support/seeds.ts';
import { temporalProcess } from '../support/temporal.ts';
import { executorsOf, folderOfFile, HEARTBEAT } from './fleet.ts';
import { oneService, replicas, type ServiceGroup } from './service-group.ts';

/** How many runs of each kind are compared. */
const counts = isFull
  ? { kernel: 1_000, seeds: 600, python: 200, files: 200 }
  : { kernel: 4, seeds: 2, python: 2, files: 2 };
const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
const NODES = isFull ? 3 : 2;
const HOUR = 60 * 60 * 1_000;

/** A service to compare: its address, and a function that reads its database. */
interface Arm {
  url: string;
  query: ServiceGroup['query'];
}

function writeModels(folder: string): void {
  writeCommandModel(
    folder,
    'Files',
    `writeFileSync('out.txt', 'twice ' + inputs.N * 2 + readFileSync(inputs.File, 'utf8'));
     say({ outputs: { Out: inputs.N / 3, Text: 'out.txt' } });`,
    ['Out: DOUBLE', 'Text: OUTPUT_FILE'],
  );
  mkdirSync(path.join(folder, 'Python'));
  const declared = `
name: Python
description: A test
command: python3 sim.py
inputs: [{name: N, type: INTEGER, default: 0}]
outputs: [{name: Out, type: DOUBLE}]`;
  writeFileSync(path.join(folder, 'Python', 'model.yaml'), declared);
  const program = `import json, random, sys
n = json.load(sys.stdin)["N"]
print(json.dumps({"outputs": {"Out": random.Random(n).gauss(n, 1)}}))`;
  writeFileSync(path.join(folder, 'Python', 'sim.py'), program);
}

/** Requests all runs. Returns the answers of the service and the rows of its database. */
async function resultsOf({ url, query }: Arm): Promise<unknown> {
  const client = clientOf(url);
  const { body: file } = await upload(
    { running: { url } as Parameters<typeof upload>[0]['running'] },
    'the file of all runs',
  );
  const kernel: Given = { '{STOP_TIME}': 300 };
  const wanted: [model: string, inputs: Given][] = [
    [
      'Service System Demo',
      { ...kernel, 'Arrival rate': doubles(1, 1 + (counts.kernel - 1) / 200, 1 / 200) },
    ],
    [
      'Service System Demo',
      { ...kernel, '{RANDOM_SEED}': range('FIXED_RANGE_LONG', 2, counts.seeds + 1, 1) },
    ],
    ['Python', { N: integers(1, counts.python) }],
    ['Files', { File: file, N: doubles(1, counts.files, 1) }],
  ];
  const told = [];
  for (const [model, inputs] of wanted) {
    const version = await client.latest(model);
    told.push(await results(client, version, variation(inputs)));
  }
  const stored = await query(
    `SELECT models.name, runs.inputs, results.outputs FROM runs JOIN results ON run_seq = runs.seq
     JOIN versions ON versions.id = version_id JOIN models ON models.id = model_id WHERE tasks IS NULL`,
  );
  return { told, stored: stored.map((row) => JSON.stringify(Object.values(row))).sort() };
}

test(
  'a single service, a service with separate executors, and (in the full test) replicas give the same results, byte for byte',
  async () => {
    const models = folderOfFile();
    writeModels(models);
    const modelDirs = [SHIPPED_MODELS, models];
    const alone = await startTestService({ modelDirs });
    const expected = await resultsOf({
      url: alone.running.url,
      query: (sql) => Promise.resolve(rows(alone.dataDir, sql)),
    });
    await alone.close();
    expect(expected).toMatchObject({ stored: { length: all } });

    const temporal = await temporalProcess(path.join(folderOfFile(), 'temporal.db'));
    onCleanup(() => temporal.kill());
    await temporal.start();
    for (const start of isFull ? [oneService, replicas] : [oneService]) {
      const dataDir = folderOfFile();
      const key = await addKey(path.join(dataDir, 'keys.yaml'), 'node', 'executor');
      const group = await start({ dataDir, modelDirs, address: temporal.address, heartbeat: HEARTBEAT });
      const spawnExecutor = executorsOf({ url: group.url, address: temporal.address, key });
      const nodes = Array.from({ length: NODES }, (_, at) => spawnExecutor(`${start.name}-${at}`));
      expect(await resultsOf(group)).toEqual(expected);
      await Promise.all(nodes.map((node) => node.kill()));
    }
    report(
      `fleet: ${all} runs have equal results alone and on ${NODES} executors${isFull ? ', with replicas too' : ''}`,
    );
  },
  HOUR,
);
