/** The ends of a confidence interval. */
export type Interval = [low: number, high: number];

export type Method = 'morris' | 'sobol' | 'regression' | 'factorial' | 'one-at-a-time';

/** What an input does to an output. Each method has some of these; a number that it does not have is left out. */
export interface InputIndices {
  input: string;
  /** The share of the variance that the input has alone: its first-order Sobol' index, or that of its main effect. */
  first?: number;
  firstInterval?: Interval;
  /** The share of the variance that the input has a part in: its total Sobol' index. */
  total?: number;
  totalInterval?: Interval;
  /** Mean of the elementary effects: the change of the output from one end of the input's range to the other. */
  mu?: number;
  /** Mean size of the elementary effects. */
  muStar?: number;
  muStarInterval?: Interval;
  /** Standard deviation of the elementary effects: not 0 where the input is not linear or works together with others. */
  sigma?: number;
  /** Standardized regression coefficient. */
  src?: number;
  srcInterval?: Interval;
  /** The same of the ranks of all values. */
  srrc?: number;
  srrcInterval?: Interval;
  /** Partial rank correlation coefficient. */
  prcc?: number;
  prccInterval?: Interval;
  /** The output at the input's lowest value; the others are as they are. */
  low?: number;
  /** The output at the input's highest value. */
  high?: number;
  /** The output at the highest value less that at the lowest value. */
  effect?: number;
  effectInterval?: Interval;
  /** The chance to see such a main effect where there is none. */
  p?: number;
  /** Relative change of the output over relative change of the input. */
  elasticity?: number;
  elasticityInterval?: Interval;
  /** Interactions that the design cannot tell from the main effect. */
  aliases?: string[];
}

/** What two inputs do together, beyond what each does alone. */
export interface PairIndices {
  inputs: [string, string];
  /** The share of the variance. */
  value: number;
  interval?: Interval;
  /** Of two inputs with two levels each: half the difference between the effects of one at the two levels of the other. */
  effect?: number;
  effectInterval?: Interval;
  p?: number;
  /** What the design cannot tell from it. */
  aliases?: string[];
}

/** Indices of a curve at one time. */
export interface TimeIndices {
  time: number;
  indices: InputIndices[];
  secondOrder?: PairIndices[];
  r2?: number;
  chance?: Chance;
}

/** The share of the variance that is chance in the replications and no input's. */
export interface Chance {
  /** Of the variance of single runs. */
  ofRuns: number;
  /** Of the variance of the points' means; left out with common random numbers, which share chance between points. */
  ofMeans?: number;
}

/** Which inputs matter for an output of a campaign. */
export interface Analysis {
  campaign: string;
  output: string;
  method: Method;
  /** Runs that have a value. */
  runs: number;
  /** In the order of the design; of a curve they are in `times`. */
  indices?: InputIndices[];
  secondOrder?: PairIndices[];
  /** The share of the variance that the regression explains. */
  r2?: number;
  /** The same of the regression of ranks. */
  rankR2?: number;
  /** Of a curve (DATA_SET): indices at each time. */
  times?: TimeIndices[];
  chance?: Chance;
  /** Of the intervals, as 0.95. */
  confidence: number;
  /** What the estimator had to leave out, and where the sample does not support the method: sentences. */
  warnings: string[];
}

/** What a method finds in one column of values. */
export type Found = Pick<Analysis, 'secondOrder' | 'r2' | 'rankR2' | 'warnings'> & {
  indices: InputIndices[];
};
