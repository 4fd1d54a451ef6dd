import { beforeAll, expect, test } from '@jest/globals';
import type { Model } from '../../src/api/resources.ts';
import { KEY, startTestService, temporaryFolder, writeModel } from '../service/support.ts';
import { report } from '../support/seeds.ts';
import { findSchemathesis, runSchemathesis } from './schemathesis.ts';

/**
 * Schemathesis makes valid and invalid requests from openapi.json, for each endpoint and in sequences. It checks that
 * every answer has a described status, type and shape, and never a 5xx. The service must refuse invalid requests and
 * requests without a key, and answer a method that an endpoint does not have with 405.
 */

const isFull = process.env.FORAY_FUZZ === 'full';
const EXAMPLES = isFull ? 1_000 : 4;
const again = process.env.FORAY_SEED;
const seeds = again === undefined ? [1, 2, 3, 4, 5].slice(0, isFull ? 5 : 1) : [Number(again)];

/** A model with one input of each type. hooks.py has the same names. */
const MODEL = `export default {
  name: 'Fuzz', description: 'Takes what it is given', published: true,
  inputs: [
    { name: 'Text', type: 'STRING', default: '' },
    { name: 'Number', type: 'DOUBLE', default: 1 },
    { name: 'Whole', type: 'INTEGER', default: 1 },
    { name: 'Long', type: 'LONG', default: 1 },
    { name: 'Time', type: 'DATE_TIME', default: '2026-01-01T00:00:00' },
    { name: 'Flag', type: 'BOOLEAN', default: false },
    { name: 'File', type: 'INPUT_FILE', default: '' },
    { name: '{RANDOM_SEED}', type: 'LONG', default: 1 },
  ],
  outputs: [
    { name: 'Echo', type: 'STRING' },
    { name: 'Sum', type: 'DOUBLE' },
    { name: 'Table', type: 'OUTPUT_FILE' },
  ],
  experiments: [{ name: 'Baseline', type: 'SIMULATION', inputs: {} }],
  run: outputs,
  animation: {
    width: 10, height: 10, units: 'SECOND',
    start: (context) => ({
      end: 0.01, advance: () => {}, outputs: () => outputs(context),
      draw: () => '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"/>',
    }),
  },
};
function outputs({ inputs, writeFile }) {
  return { Echo: inputs.Text, Sum: inputs.Number + inputs.Whole, Table: writeFile('table.csv', inputs.Text) };
}`;

beforeAll(async () => void (await findSchemathesis()), 600_000);

test.each(seeds)(
  `Schemathesis finds no error in ${EXAMPLES} examples of each endpoint of the service (seed %i)`,
  async (seed) => {
    const models = temporaryFolder();
    writeModel(models, 'fuzz', MODEL);
    const service = await startTestService({ modelDirs: [models] });
    const [model] = (await service.get<Model[]>('/models')).body;
    const { body: hash } = await service.post<string>('/upload-file', 'a file');
    const known = { modelId: model!.id, versionId: model!.modelVersions[0], hash };
    const { code, output } = await runSchemathesis(
      temporaryFolder(),
      [
        ...['run', `${service.running.url}/openapi.json`, '--header', `Authorization: ${KEY}`],
        ...['--max-examples', String(EXAMPLES), '--seed', String(seed), '--checks', 'all'],
        ...['--request-timeout', '120'],
        // a valid request may name a missing input or run, because the schemas cannot list the existing ones
        ...['--exclude-checks', 'positive_data_acceptance'],
      ],
      {
        SCHEMATHESIS_HOOKS: 'hooks',
        PYTHONPATH: import.meta.dirname,
        FORAY_FUZZ_KNOWN: JSON.stringify(known),
      },
    );
    report(`fuzz: seed ${seed}: ${/Test cases:\n\s+(.*)/.exec(output)?.[1]}`);
    if (code !== 0) throw new Error(output.slice(-20_000));
    expect(output).toMatch(/Tested: 24/);
  },
  isFull ? 3_600_000 : 600_000,
);
