import { parseArgs } from 'node:util';
import { documentOf, type Goal, isMet, type Part, textOf } from '../report.ts';
import { type AbcRow, abcRows } from './abc.ts';
import { besidePart } from './beside.ts';
import { type CampaignRow, campaignRows } from './campaigns.ts';
import { boundedRows, timeRows, unboundedRows } from './cma.ts';
import { directRows } from './direct.ts';
import { GP_GOALS, gpRows, gpTimes } from './gp.ts';
import { regionsPart } from './regions.ts';
import { type PeerRow, peerRows, Peers } from './peers.ts';
import { knRows } from './selection.ts';
import { winnerRows, type WinnerRow } from './winner.ts';

/** The largest allowed relative difference from pycma's median. Medians of so few seeds may differ by this much. */
const TOLERANCE = 0.2;

/**
 * Counts the evaluations of search methods on functions with a known optimum. The reference figures were measured with
 * pycma 4.5.0 and scipy 1.17. `--peers` measures the figures of pycma without bounds again, and adds a part with other
 * libraries. Counts of evaluations are the same on every machine, but times are not.
 */
export async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      seeds: { type: 'string', default: '10' },
      repeats: { type: 'string', default: '1000' },
      winners: { type: 'string', default: '40' },
      points: { type: 'string', default: '10000' },
      // of a campaign beside searches
      rounds: { type: 'string', default: '5' },
      // also runs optimisers of other libraries, in Python
      peers: { type: 'boolean', default: false },
      // with --peers, also runs Optuna's Gaussian process, which needs torch (gigabytes of files)
      torch: { type: 'boolean', default: false },
      // the names of parts, with commas between them
      only: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  });
  const [seeds, repeats] = [Number(values.seeds), Number(values.repeats)];
  const parts: Part[] = [];
  await using peers = values.peers ? await Peers.start(values.torch) : undefined;
  const makes: Record<string, () => Part | Promise<Part>> = {
    cma: async () => unboundedPart(seeds + 1, await unboundedRows(seeds + 1, peers)),
    'cma-box': () => boundedPart(seeds),
    direct: directPart,
    'cma-time': timePart,
    gp: () => gpPart(seeds),
    ...(peers && { peers: async () => peersPart(await peerRows(peers, seeds, values.torch)) }),
    'gp-time': gpTimePart,
    kn: () => knPart(repeats),
    winner: () => winnerPart(Number(values.winners)),
    abc: () => abcPart(2 * seeds),
    regions: () => regionsPart(2 * seeds),
    beside: () => besidePart(Number(values.rounds)),
    campaigns: () => campaignsPart(Number(values.points)),
  };
  const only = values.only?.split(',') ?? Object.keys(makes);
  const unknown = only.filter((name) => !Object.hasOwn(makes, name));
  if (unknown.length > 0)
    throw new Error(`There is no part ${unknown.join(', ')}. Known: ${Object.keys(makes).join(', ')}`);
  for (const name of only) {
    const part = await makes[name]!();
    parts.push(part);
    if (!values.json) console.log(textOf(part));
  }
  if (values.json) console.log(JSON.stringify({ parts: parts.map(documentOf) }, undefined, 2));
  return parts.every(({ goals }) => goals.every(isMet));
}

type UnboundedRow = Awaited<ReturnType<typeof unboundedRows>>[number];

function unboundedPart(seeds: number, rows: UnboundedRow[]): Part<UnboundedRow> {
  const farthest = Math.max(...rows.map(({ median, reference }) => Math.abs(median / reference - 1)));
  return {
    name: 'cma',
    title: `CMA-ES without bounds: evaluations until a value is below 1e-8, the median of ${seeds} seeds`,
    rows,
    columns: [
      { title: 'function', of: ({ name }) => name },
      { title: 'inputs', of: ({ dimension }) => dimension },
      { title: 'foray', of: ({ median }) => median },
      { title: 'pycma', of: ({ reference }) => reference },
    ],
    goals: [{ what: 'largest relative difference from pycma', figure: farthest, most: TOLERANCE }],
  };
}

function boundedPart(seeds: number): Part<ReturnType<typeof boundedRows>[number]> {
  const rows = boundedRows(seeds);
  const flu = rows.find(({ name }) => name === 'flu')!;
  const hartmann = rows.at(-1)!;
  return {
    name: 'cma-box',
    title: `CMA-ES with restarts in a box: evaluations to come within 1 % of the optimum, the median of ${seeds} seeds`,
    rows,
    columns: [
      { title: 'function', of: ({ name }) => name },
      { title: 'foray', of: ({ median }) => median, digits: 1 },
      { title: 'worst', of: ({ most }) => most },
      { title: 'solved', of: ({ solved }) => solved },
      { title: 'pycma', of: ({ reference }) => reference },
    ],
    goals: [
      { what: 'flu, median', figure: flu.median, most: 60 },
      { what: 'flu, worst', figure: flu.most, most: 130 },
      { what: 'Hartmann-6, share of seeds', figure: hartmann.solved / seeds, least: 0.9 },
    ],
  };
}

function directPart(): Part<ReturnType<typeof directRows>[number]> {
  const rows = directRows();
  return {
    name: 'direct',
    title: 'DIRECT: evaluations to come within 1 % of the optimum',
    rows,
    columns: [
      { title: 'function', of: ({ name }) => name },
      { title: 'foray', of: ({ evaluations }) => evaluations },
      { title: 'scipy', of: ({ reference }) => reference },
    ],
    goals: rows.map(({ name, evaluations, reference }): Goal => {
      return { what: name, figure: evaluations / reference, most: 1.1 };
    }),
  };
}

const GP_EVALUATIONS = 160;

function gpPart(seeds: number): Part<ReturnType<typeof gpRows>[number]> {
  const rows = gpRows(seeds, GP_EVALUATIONS);
  return {
    name: 'gp',
    title: `Gaussian process: evaluations to come within 1 % of the optimum, the median of ${seeds} seeds with at most ${GP_EVALUATIONS} evaluations`,
    rows,
    columns: [
      { title: 'function', of: (row) => row.function },
      { title: 'at once', of: ({ parallel }) => parallel },
      { title: 'evaluations', of: ({ evaluations }) => evaluations ?? '–' },
      { title: 'rounds', of: ({ rounds }) => rounds ?? '–' },
      { title: 'found by', of: ({ found }) => found },
      { title: 'within the goal', of: ({ within }) => within },
    ],
    goals: rows.flatMap(({ function: name, parallel, evaluations, rounds, within }): Goal[] => {
      const [mostEvaluations, mostRounds] = GP_GOALS[name]!;
      if (parallel > 1)
        return [{ what: `${name}: rounds of ${parallel}`, figure: rounds ?? Infinity, most: mostRounds }];
      return [
        { what: `${name}: evaluations`, figure: evaluations ?? Infinity, most: mostEvaluations },
        { what: `${name}: share of seeds within ${mostEvaluations}`, figure: within / seeds, least: 0.8 },
      ];
    }),
    notes: [
      'The settings of the method were chosen with seeds 1 to 10 of these functions. The patience before a restart was chosen with other seeds.',
    ],
  };
}

function peersPart(rows: PeerRow[]): Part<PeerRow> {
  return {
    name: 'peers',
    title: 'Other libraries: evaluations to come within 1 % of the optimum, the median',
    rows,
    columns: [
      { title: 'function', of: (row) => row.function },
      { title: 'by', of: ({ peer }) => peer },
      { title: 'evaluations', of: ({ evaluations }) => evaluations, digits: 1 },
      { title: 'at most', of: ({ most }) => most },
      { title: 'found by', of: ({ found }) => found },
      { title: 'of', of: ({ seeds }) => seeds },
    ],
    goals: [],
  };
}

function gpTimePart(): Part<ReturnType<typeof gpTimes>[number]> {
  const rows = gpTimes([200, 500]);
  return {
    name: 'gp-time',
    title: 'Gaussian process: CPU seconds for a proposal, the longest of twelve',
    rows,
    columns: [
      { title: 'points', of: ({ points }) => points },
      { title: 'longest', of: ({ most }) => most, digits: 2 },
    ],
    goals: rows.map(({ points, most }, at): Goal => {
      return { what: `${points} points`, figure: most, most: [0.5, 3][at]! };
    }),
  };
}

function timePart(): Part<ReturnType<typeof timeRows>[number]> {
  const rows = timeRows();
  return {
    name: 'cma-time',
    title: 'CMA-ES: milliseconds to propose a point and to take its value, over 1,000 points',
    rows,
    columns: [
      { title: 'inputs', of: ({ dimension }) => dimension },
      { title: 'mean', of: ({ mean }) => mean, digits: 3 },
      { title: 'longest', of: ({ most }) => most, digits: 2 },
    ],
    goals: [{ what: 'mean of the slowest', figure: Math.max(...rows.map(({ mean }) => mean)), most: 5 }],
  };
}

function knPart(repeats: number): Part<ReturnType<typeof knRows>[number]> {
  const rows = knRows(repeats);
  const error = Math.sqrt((0.95 * 0.05) / repeats);
  return {
    name: 'kn',
    title: `KN, systems that differ by the indifference: ${repeats} repeats`,
    rows,
    columns: [
      { title: 'systems', of: ({ systems }) => systems },
      { title: 'right', of: ({ right }) => right, digits: 3 },
      { title: 'runs', of: ({ runs }) => runs },
      { title: 'reference', of: ({ reference }) => reference },
      { title: 'runs with correlation 0.5', of: ({ correlated }) => correlated },
    ],
    goals: rows.flatMap(({ systems, right, runs, reference, correlated }): Goal[] => [
      { what: `${systems} systems: share of right choices`, figure: right, least: 0.95 - 2 * error },
      { what: `${systems} systems: runs / runs of the reference`, figure: runs / reference, most: 1.1 },
      {
        what: `${systems} systems: runs with correlation / without`,
        figure: correlated / runs,
        most: 0.6,
      },
    ]),
    notes: [
      'A campaign requests several replications in each round, so it needs more runs than with one replication at a time.',
    ],
  };
}

async function winnerPart(seeds: number): Promise<Part<WinnerRow>> {
  const rows = await winnerRows(seeds);
  return {
    name: 'winner',
    title: `The winner of a search with noise. Its value comes from runs that were not used to choose it: ${seeds} seeds, 60 points by cma, 3 to 20 replications`,
    rows,
    columns: [
      { title: 'function', of: ({ name }) => name },
      { title: 'bias', of: ({ bias }) => bias, digits: 3 },
      { title: 'standard error of bias', of: ({ biasError }) => biasError, digits: 3 },
      { title: 'bias of the best observed value', of: ({ seenBias }) => seenBias, digits: 2 },
      { title: 'intervals with the true value', of: ({ holding }) => holding, digits: 3 },
      { title: 'regret', of: ({ regret }) => regret, digits: 2 },
      { title: 'runs', of: ({ runs }) => runs, digits: 0 },
    ],
    goals: rows.flatMap(({ name, bias, biasError, holding, regret }): Goal[] => [
      { what: `${name}: bias / standard error of bias`, figure: Math.abs(bias) / biasError, most: 2 },
      { what: `${name}: intervals with the true value`, figure: holding, least: 0.9 },
      { what: `${name}: regret`, figure: regret, most: 1.5 },
    ]),
  };
}

async function campaignsPart(points: number): Promise<Part<CampaignRow>> {
  const rows = await campaignRows(points);
  const [sobol, cma] = rows;
  return {
    name: 'campaigns',
    title: `Whole campaigns of ${points} points: the cost of a search compared with a design`,
    rows,
    columns: [
      { title: 'points', of: ({ name }) => name },
      { title: 'made', of: ({ points: made }) => made },
      { title: 'seconds', of: ({ seconds }) => seconds, digits: 1 },
      { title: 'CPU of the worker a point, ms', of: ({ cpuMs }) => cpuMs, digits: 2 },
      { title: 'history for 200 points, bytes', of: ({ history }) => history },
    ],
    goals: [
      { what: 'points of cma', figure: cma!.points, least: points },
      { what: 'CPU of the search / of the design', figure: cma!.cpuMs / sobol!.cpuMs, most: 1.05 },
      { what: 'more history for 200 points', figure: cma!.history - sobol!.history, most: 1_024 },
    ],
  };
}

/** The figures of the exact posterior, each with the largest allowed difference. */
const POSTERIOR = { mean: [1.199, 0.1], variance: [0.802, 0.12] } as const;

async function abcPart(seeds: number): Promise<Part<AbcRow>> {
  const rows = await abcRows(seeds);
  return {
    name: 'abc',
    title: `ABC-SMC, the posterior of a normal mean: ${seeds} seeds, 1,000 particles, a last tolerance of 0.1`,
    rows,
    columns: [
      { title: 'seed', of: ({ seed }) => seed },
      { title: 'mean', of: ({ mean }) => mean, digits: 3 },
      { title: 'variance', of: ({ variance }) => variance, digits: 3 },
      { title: 'points', of: ({ points }) => points },
    ],
    goals: (['mean', 'variance'] as const).map((what): Goal => {
      const [exact, most] = POSTERIOR[what];
      const farthest = Math.max(...rows.map((row) => Math.abs(row[what] - exact)));
      return { what: `largest difference from the exact ${what}`, figure: farthest, most };
    }),
    notes: ['The exact mean is 1.199, and the exact variance is 0.802.'],
  };
}
