import { nameKey, RANDOM_SEED } from '../../api/index.ts';
import { ForayError } from '../../errors.ts';
import { quoted } from '../../text/suggest.ts';
import { goalOf } from '../check-outputs.ts';
import { pointsOver } from '../designs/index.ts';
import { drawnRow, resolveSpread } from '../designs/spread-input.ts';
import { checkExpression } from '../designs/expressions.ts';
import type { DesignFacts } from '../designs/kind.ts';
import { measureOf } from '../measures.ts';
import type { ReadDefinition } from '../read.ts';
import { unitPoints } from '../sampling/unit-points.ts';
import { hasSeed } from '../seeds.ts';
import type { BaseInput } from '../designs/input-types.ts';
import type { Begun, CampaignOutput } from '../types.ts';
import type { Calibration, Observed } from './calibration.ts';
import { resolveComputed } from './resolve-computed.ts';
import type { WrittenAbc, WrittenObserved } from './schema-calibrate.ts';
import type { Distribution } from '../sampling/distributions.ts';
import { checkExpressions, rulesOf } from './rules.ts';

const PATH = ['calibrate', 'abc'];
/** At least one of this number of points that are drawn from the priors must be allowed. */
const TRIED = 20_000;

/** Checks a calibration and its priors. Mistakes are collected. */
export function beginCalibration(read: ReadDefinition, facts: DesignFacts): Begun {
  const written = read.definition.calibrate!.abc;
  const priors = resolvePriors(written, facts);
  const derive = resolveComputed(written.derive, facts, PATH, priors);
  facts.mistakes.attempt(() => checkSettings(read, facts.base));
  return {
    design: pointsOver([...priors, ...derive]),
    finish: ({ outputs }) => ({
      strategy: { by: 'calibration', ...resolveCalibrate(read, { priors, derive }, facts.base, outputs) },
      ...facts.mistakes.attempt(() => goalOf(read, outputs)),
    }),
  };
}

/** The priors of a calibration; mistakes go to `facts.mistakes`. */
function resolvePriors({ priors }: WrittenAbc, facts: DesignFacts): Calibration['priors'] {
  const path = [...PATH, 'priors'];
  const resolved = resolveSpread(priors, facts, path, facts.fixed) ?? [];
  if (resolved.some(({ name }) => name === RANDOM_SEED))
    facts.mistakes.add(
      new ForayError('INVALID_VALUE', `A calibration cannot vary ${RANDOM_SEED}.`, {
        place: facts.locate([...path, RANDOM_SEED], 'key'),
        hint: 'Each run gets its own seed, which depends on the "seed" of the campaign.',
      }),
    );
  return resolved;
}

/** @throws ForayError INVALID_VALUE if other settings contradict `calibrate`, or runs have no seeds of their own */
function checkSettings(
  { definition, locate }: ReadDefinition,
  base: readonly Pick<BaseInput, 'name'>[],
): void {
  const { replications = 1, commonRandomNumbers, seed, fresh } = definition;
  const wrong = (message: string, path: string[], hint: string): ForayError =>
    new ForayError('INVALID_VALUE', message, { place: locate(path, 'key'), hint });
  if (replications !== 1)
    throw wrong(
      'A calibration runs each of its points once, because it compares results including their randomness.',
      ['replications'],
      'Leave "replications" out, and give more "particles".',
    );
  if (commonRandomNumbers)
    throw wrong(
      'Each run of a calibration has its own seed, because the calibration compares results including their randomness.',
      ['commonRandomNumbers'],
      'Leave "commonRandomNumbers" out.',
    );
  if (hasSeed(base) && seed === undefined && fresh !== true)
    throw wrong(
      'Each run of a calibration needs its own seed.',
      ['calibrate'],
      'Give the campaign a "seed", such as seed: 1.',
    );
}

/** Resolves a calibration when the outputs of the campaign are known. */
function resolveCalibrate(
  { definition, locate, mistakes }: ReadDefinition,
  { priors, derive }: Required<Pick<Calibration, 'priors' | 'derive'>>,
  base: readonly BaseInput[],
  outputs: readonly CampaignOutput[],
): Calibration {
  const written = definition.calibrate!.abc;
  const { where = null, particles, quantile, parallel, stop } = written;
  const before = mistakes.count;
  if (where !== null)
    mistakes.attempt(() => checkExpression(where, 'boolean', { inputs: base, locate }, [...PATH, 'where']));
  const observed = Object.entries(written.observed).flatMap(
    ([output, value]) => mistakes.attempt(() => observedOf(output, value, outputs, locate)) ?? [],
  );
  const calibrate: Calibration = {
    priors,
    where,
    observed,
    particles,
    quantile,
    parallel,
    ...(derive.length > 0 && { derive }),
    stop: { ...stop, tolerance: stop.tolerance ?? null },
  };
  if (mistakes.count === before) mistakes.attempt(() => checkRules(calibrate, base, locate));
  return calibrate;
}

function observedOf(
  written: string,
  value: WrittenObserved,
  outputs: readonly CampaignOutput[],
  locate: ReadDefinition['locate'],
): Observed {
  const path = [...PATH, 'observed', written];
  const wrong = (message: string, hint: string): ForayError =>
    new ForayError('INVALID_VALUE', message, { place: locate(path), hint });
  const curve = outputs.find(({ name, type }) => nameKey(name) === nameKey(written) && type === 'DATA_SET');
  const isCurve = typeof value === 'object' && 'x' in value;
  if (curve) {
    if (!isCurve) throw wrong(`The output ${quoted(written)} is a curve.`, 'Write {x: […], y: […]}.');
    return { output: curve.name, kind: 'curve', ...value };
  }
  const { name } = measureOf(outputs, written, locate(path, 'key'));
  if (isCurve)
    throw wrong(
      `The output ${quoted(name)} is one value of a run, not a curve.`,
      'Write a number, or {value: NUMBER}.',
    );
  const { value: number, weight } = typeof value === 'object' ? value : { value: Number(value), weight: 1 };
  return { output: name, kind: 'number', value: number, weight };
}

/**
 * @throws ForayError INVALID_VALUE if an expression reads a value that is too large; EMPTY_DESIGN if none of many points
 *   of the prior may be run
 */
function checkRules(
  calibrate: Calibration,
  base: readonly BaseInput[],
  locate: ReadDefinition['locate'],
): void {
  const { priors, where, derive = [] } = calibrate;
  if (where === null && derive.length === 0) return;
  const inputs = priors.map(({ name, isWhole, distribution }) => ({
    name,
    values: endsOf(distribution),
    isReal: !isWhole && distribution.kind !== 'choice',
  }));
  checkExpressions(calibrate, inputs, base, (path) => locate([...PATH, ...path]));
  const names = priors.map(({ name }) => name);
  const { complete, isAllowed } = rulesOf(calibrate, names, base);
  for (const point of unitPoints('random', { points: TRIED, seed: 0, scramble: true, names }))
    if (isAllowed(complete(drawnRow(priors, point)))) return;
  const rules = where === null ? 'what the model allows for the inputs under "derive"' : '"where"';
  throw new ForayError(
    'EMPTY_DESIGN',
    `The calibration has no points: none of ${TRIED.toLocaleString('en')} points drawn from the priors meets ${rules}.`,
    {
      place: locate([...PATH, where === null ? 'derive' : 'where']),
      hint: 'A calibration draws from the priors until a point is allowed. Narrow the priors, or compute an input from others with "derive".',
    },
  );
}

/** The values of a choice, or the bounds of a distribution. */
function endsOf(distribution: Distribution): readonly string[] {
  if (distribution.kind === 'choice') return distribution.values;
  const { min, max } = distribution;
  return [min, max].filter((end) => end !== undefined).map(String);
}
