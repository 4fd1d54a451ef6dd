import type { Design } from '../../src/campaign/designs/index.ts';
import { analyzed, spread } from '../../test/sensitivity/campaigns.ts';
import { names } from '../../test/sensitivity/functions.ts';
import { Drawn, seededBase } from './draws-of-effects.ts';
import type { Rate } from './rate.ts';

export const title = 'Failed runs: whether indices are refused if failures depend on inputs, and only then';

type Fails = (values: readonly number[], drawn: Drawn) => boolean;

/** Draws a condition on the inputs that some part of the points meets. */
const DEPENDENT: Record<string, (drawn: Drawn) => Fails> = {
  'above a limit of one input': (drawn) => {
    const [at, limit] = [drawn.below(3), 0.5 + 0.45 * drawn.uniform()];
    return (values) => values[at]! > limit;
  },
  'where one input is above another': (drawn) => {
    const [at, by] = [drawn.below(3), 0.6 * drawn.uniform()];
    return (values) => values[at]! > values[(at + 1) % 3]! + by;
  },
  'in the middle of one input': (drawn) => {
    const [at, width] = [drawn.below(3), 0.03 + 0.2 * drawn.uniform()];
    return (values) => Math.abs(values[at]! - 0.5) < width;
  },
  'where two inputs are both high or both low': (drawn) => {
    const share = 0.1 + 0.9 * drawn.uniform();
    return ([a, b], draws) => a! > 0.5 === b! > 0.5 && draws.uniform() < share;
  },
  'more often at higher values': (drawn) => {
    const slope = 0.1 + 0.4 * drawn.uniform();
    return ([a], draws) => draws.uniform() < slope * a!;
  },
};

/** Conditions under which only some of the runs fail. */
const RARE = ['where two inputs are both high or both low', 'more often at higher values'];

/** The model has seeds, so that it may fail by chance. */
const DESIGNS: { name: string; inputs: number; replications?: number; design: (seed: number) => Design }[] = [
  {
    name: 'saltelli, 256 base points',
    inputs: 3,
    design: (seed) => ({
      kind: 'saltelli',
      inputs: spread(names(3)),
      points: 256,
      scrambles: 1,
      secondOrder: false,
      seed,
    }),
  },
  {
    name: 'morris, 100 trajectories, 5 inputs',
    inputs: 5,
    design: (seed) => ({ kind: 'morris', inputs: spread(names(5)), trajectories: 100, levels: 4, seed }),
  },
  {
    name: 'morris, 40 trajectories, 3 inputs, 3 runs per point',
    inputs: 3,
    replications: 3,
    design: (seed) => ({ kind: 'morris', inputs: spread(names(3)), trajectories: 40, levels: 4, seed }),
  },
  {
    name: 'morris, 40 trajectories, 3 inputs',
    inputs: 3,
    design: (seed) => ({ kind: 'morris', inputs: spread(names(3)), trajectories: 40, levels: 4, seed }),
  },
];

export function rates({ campaigns, seed }: { campaigns: number; seed: number }): Rate[] {
  return DESIGNS.flatMap(({ name, inputs, replications = 1, design }) => {
    /** Of the campaigns in which a run fails: four levels of an input may lie outside a narrow condition. */
    const refused = (title: string, failsOf: (drawn: Drawn) => Fails): { of: number; rate: number } => {
      let [count, of] = [0, 0];
      for (let at = 0; at < campaigns; at += 1) {
        const drawn = new Drawn(seed, `${name} ${title} ${at}`);
        const fails = failsOf(drawn);
        const played = { design: design(at), base: seededBase(names(inputs)), seed: 1, replications };
        let failed = 0;
        const [found] = analyzed(played, (values) => {
          if (!fails(values, drawn)) return { Y: values[0]! + values[1]! };
          failed += 1;
          return undefined;
        });
        if (failed > 0) of += 1;
        if (found!.indices!.length === 0) count += 1;
      }
      return { of, rate: count / of };
    };
    return [
      ...Object.entries(DEPENDENT).map(([title, failsOf]): Rate => {
        // with few trajectories on four levels, failures that are only more frequent somewhere look like chance
        const isSure = name.startsWith('saltelli') || !RARE.includes(title);
        const limit = isSure ? { least: 0.95 } : {};
        return { statement: `refused: failures ${title}`, from: name, ...refused(title, failsOf), ...limit };
      }),
      {
        statement: 'refused: failures by chance',
        from: name,
        ...refused('chance', (drawn) => {
          const share = 0.002 + 0.2 * drawn.uniform();
          return () => drawn.uniform() < share;
        }),
        most: 0.05,
      },
    ];
  });
}
