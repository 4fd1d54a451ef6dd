import { RANDOM_SEED } from '../../src/api/index.ts';
import { type Design, inputsOf } from '../../src/campaign/designs/index.ts';
import type { SpreadInput } from '../../src/campaign/designs/spread-input.ts';
import { firstReplications } from '../../src/campaign/draws.ts';
import { measureOf } from '../../src/campaign/measures.ts';
import { expand, runInputs } from '../../src/campaign/points.ts';
import { seedOf } from '../../src/campaign/seeds.ts';
import type { BaseInput } from '../../src/campaign/designs/input-types.ts';
import type { CampaignOutput } from '../../src/campaign/types.ts';
import type { Analysis, InputIndices } from '../../src/sensitivity/analysis.ts';
import { analysesOf } from '../../src/sensitivity/analyze.ts';
import { needsRuns } from '../../src/sensitivity/design.ts';
import type { AnalyzedCampaign } from '../../src/sensitivity/estimator-of-design.ts';
import { PointGatherer } from '../../src/sensitivity/gather.ts';

/** Gives the outputs of a run from the values of its inputs and its seed. Gives undefined if the run fails. */
type Model = (
  values: readonly number[],
  replication: number,
  seed: string | undefined,
) => Record<string, unknown> | undefined;

export const OUTPUTS: CampaignOutput[] = [
  { name: 'Y', type: 'DOUBLE', units: null },
  { name: 'Course', type: 'DATA_SET', units: null },
];

export interface Played {
  design: Design;
  base?: BaseInput[];
  replications?: number;
  /** @default the seed of a campaign whose definition has none */
  seed?: number | null | undefined;
  strategy?: AnalyzedCampaign['strategy'];
  commonRandomNumbers?: boolean;
  /** The declared x axis of the curve. */
  axis?: CampaignOutput['axis'];
  /** @default Y */
  outputs?: string[];
  /** The number of runs that have finished, if not all of them. */
  finished?: number;
}

export function numericBase(values: Record<string, number>): BaseInput[] {
  return Object.entries(values).map(([name, value]) => ({
    name,
    type: 'DOUBLE',
    units: null,
    value: String(value),
  }));
}

/** Makes a campaign. Its inputs are DOUBLE unless `base` has other types. */
export function campaignOf({
  design,
  base,
  replications = 1,
  seed,
  strategy = { by: 'design' },
  commonRandomNumbers = false,
  axis,
}: Played): AnalyzedCampaign {
  const all =
    base ?? inputsOf(design).map((name): BaseInput => ({ name, type: 'DOUBLE', units: null, value: '0' }));
  return {
    id: 'played',
    outputs: OUTPUTS.map((output) => (axis && output.type === 'DATA_SET' ? { ...output, axis } : output)),
    strategy,
    base: all,
    varied: inputsOf(design).map((name) => all.find((input) => input.name === name)!),
    design,
    replications,
    seed: seed === undefined ? seedOf({ fresh: false }, all, replications) : seed,
    fresh: null,
    commonRandomNumbers,
    precision: null,
  };
}

/** Runs a model at all points of a design, as a campaign would, and analyzes the results. */
export function analyzed(played: Played, model: Model): Analysis[] {
  const campaign = campaignOf(played);
  const { outputs: asked = ['Y'], finished = Infinity } = played;
  const dataSets = asked.filter((name) => name === 'Course');
  const measures = asked.filter((name) => name !== 'Course').map((name) => measureOf(OUTPUTS, name));
  const gatherer = new PointGatherer(campaign, measures, {
    dataSets,
    points: 1_000,
    keepsRuns: needsRuns(campaign),
  });
  const counts = { total: 0, done: 0, failed: 0 };
  for (const { key, values, draws } of expand(campaign)) {
    const own = firstReplications(campaign, { draws });
    for (let replication = 1; replication <= own && counts.total < finished; replication += 1) {
      const found = model(
        values.map((value) => Number(value)),
        replication,
        runInputs(campaign, { key, values }, replication).find(({ name }) => name === RANDOM_SEED)?.value,
      );
      counts.total += 1;
      counts[found ? 'done' : 'failed'] += 1;
      const outputs = Object.fromEntries(
        Object.entries(found ?? {}).map(([name, value]) => [name, JSON.stringify(value)]),
      );
      const status = found ? 'done' : 'failed';
      gatherer.add({ point: key, replication, status, values, draws, outputs });
    }
  }
  return analysesOf(campaign, gatherer.result(), counts);
}

/** Inputs with a uniform distribution from 0 to 1. */
export const spread = (names: readonly string[]): SpreadInput[] =>
  names.map((name) => ({ name, isWhole: false, distribution: { kind: 'uniform', min: 0, max: 1 } }));

/** The indices by the name of the input. */
export const byName = (indices: readonly InputIndices[] = []) =>
  Object.fromEntries(indices.map((one) => [one.input, one]));

/** A Latin hypercube of 200 points. */
export const sample: Design = {
  kind: 'sample',
  method: 'lhs',
  points: 200,
  seed: 1,
  scramble: true,
  inputs: spread(['A', 'B', 'C']),
};
