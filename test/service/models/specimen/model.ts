import { setTimeout as sleep } from 'node:timers/promises';
import { defineModel } from '../../../../src/service/models/model.ts';

const statistics = { type: 'CONTINUOUS', count: 3, min: 1, max: 3, mean: 2, variance: 1 };

/**
 * A model with an input of each type that a model may declare, an output of each type, and each system input except the
 * number of replications.
 */
export default defineModel({
  name: 'Specimen',
  description: 'One of everything.',
  inputs: [
    { name: '{STOP_MODE}', type: 'STRING', default: 'STOP_MODE_AT_TIME' },
    { name: '{START_TIME}', type: 'DOUBLE', default: 0 },
    { name: '{STOP_TIME}', type: 'DOUBLE', default: 100 },
    { name: '{START_DATE}', type: 'DATE_TIME', default: '2026-01-01T00:00' },
    { name: '{STOP_DATE}', type: 'DATE_TIME', default: '2026-12-31T00:00' },
    { name: '{MAX_MEMORY_MB}', type: 'INTEGER', default: 512 },
    { name: '{RANDOM_SEED}', type: 'LONG', default: 1 },
    { name: 'Text', type: 'STRING', default: '' },
    { name: 'Rate', type: 'DOUBLE', units: 'PER_MINUTE', default: 1 },
    { name: 'Count', type: 'INTEGER', default: 5 },
    { name: 'Big', type: 'LONG', default: '9007199254740993' },
    { name: 'When', type: 'DATE_TIME', default: '2026-11-21T08:30' },
    { name: 'Flag', type: 'BOOLEAN', default: false },
    { name: 'Observed', type: 'INPUT_FILE', default: '' },
  ],
  outputs: [
    { name: 'Name', type: 'STRING' },
    { name: 'Twice', type: 'DOUBLE' },
    { name: 'Counted', type: 'INTEGER' },
    { name: 'Big as given', type: 'LONG' },
    { name: 'When as given', type: 'DATE_TIME' },
    { name: 'Flagged', type: 'BOOLEAN' },
    { name: 'Data set', type: 'DATA_SET' },
    { name: 'Queue|Waiting', type: 'DATA_SET' },
    { name: 'Queue|In service', type: 'DATA_SET' },
    { name: 'Tally', type: 'STATISTICS_DISCRETE' },
    { name: 'Statistics', type: 'STATISTICS_CONTINUOUS' },
    { name: 'Histogram', type: 'HISTOGRAM_DATA' },
    { name: 'Histogram over two', type: 'HISTOGRAM_2D_DATA' },
    { name: 'Output name', type: 'MODEL_OUTPUT_NAME' },
    { name: 'File', type: 'OUTPUT_FILE' },
  ],
  experiments: [
    { name: 'Baseline', type: 'SIMULATION', inputs: {} },
    {
      name: 'Over the rate',
      type: 'PARAMETER_VARIATION',
      inputs: { Rate: { type: 'FIXED_RANGE_DOUBLE', min: 1, max: 2, step: 0.5 } },
    },
  ],

  async run({ inputs, writeFile }) {
    const { Text: text, Rate: rate } = inputs;
    if (text === 'fail') throw new Error('The specimen was told to fail');
    while (text === 'forever') await sleep(50);
    const line = { dataX: [0, 1], dataY: [rate, 2 * rate] };
    return {
      Name: `rate ${rate}`,
      Twice: 2 * rate,
      Counted: inputs.Count,
      'Big as given': inputs.Big,
      'When as given': inputs.When,
      Flagged: inputs.Flag,
      'Data set': line,
      'Queue|Waiting': line,
      'Queue|In service': line,
      Tally: { ...statistics, type: 'DISCRETE' },
      Statistics: statistics,
      Histogram: { lowerBound: 0, intervalWidth: 1, hits: [1, 2], hitsOutLow: 0, hitsOutHigh: 0, statistics },
      'Histogram over two': {
        hits: [[1], [2]],
        hitsOutLow: 0,
        hitsOutHigh: 0,
        xMin: 0,
        xMax: 1,
        yMin: 0,
        yMax: 2,
      },
      'Output name': 'Twice',
      File: writeFile('rate.txt', `rate ${rate}`),
    };
  },
});
