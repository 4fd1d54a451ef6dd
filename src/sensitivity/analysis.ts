/** The ends of a confidence interval. */
export type Interval = [low: number, high: number];

export type Method = 'morris' | 'sobol' | 'regression' | 'factorial' | 'one-at-a-time' | 'gaussian-process';

/** The effect of an input on an output. Each method has some of these numbers, and leaves the others out. */
export interface InputIndices {
  input: string;
  /** The share of the variance that comes from the input alone: its first-order Sobol' index, or its main effect. */
  first?: number;
  firstInterval?: Interval;
  /** The share of the variance in which the input takes part: its total Sobol' index. */
  total?: number;
  totalInterval?: Interval;
  /** Mean of the elementary effects: the change of the output from one end of the input's range to the other. */
  mu?: number;
  /** Mean of the absolute values of the elementary effects, without the part of chance if it is known. */
  muStar?: number;
  muStarInterval?: Interval;
  /**
   * Standard deviation of the elementary effects, without the part of chance if it is known. It is above 0 if the
   * effect is not linear, or depends on other inputs.
   */
  sigma?: number;
  /** Standardized regression coefficient. */
  src?: number;
  srcInterval?: Interval;
  /** Standardized regression coefficient of the ranks. */
  srrc?: number;
  srrcInterval?: Interval;
  /**
   * The share of the variance that a regression explains by this input, as a linear function. Only for inputs that the
   * design draws independently of each other.
   */
  share?: number;
  shareInterval?: Interval;
  /** Partial rank correlation coefficient. */
  prcc?: number;
  prccInterval?: Interval;
  /**
   * The output at the input's lowest value: in a factorial the mean over the points with this value, otherwise with the
   * other inputs unchanged. If the values are not numbers, or if the output does not always rise or always fall with
   * them, it is the lowest of these outputs, at the value `lowAt`.
   */
  low?: number;
  /** The output at the input's highest value, or the highest output, at the value `highAt`. */
  high?: number;
  /** The input's value at `low`, if `low` is the lowest output. */
  lowAt?: string;
  /** The input's value at `high`, if there is `lowAt`. */
  highAt?: string;
  /** `high` minus `low`. */
  effect?: number;
  effectInterval?: Interval;
  /**
   * The p-value of the hypothesis that the input has no effect: in a factorial no main effect, in a regression no linear
   * effect. If chance of an unknown size is possible, Sobol' indices have the p-value of the first-order index. No p-value
   * allows for the number of inputs.
   */
  p?: number;
  /** Relative change of the output divided by relative change of the input. */
  elasticity?: number;
  elasticityInterval?: Interval;
  /** Interactions that the design cannot distinguish from the main effect. */
  aliases?: string[];
}

/** The interaction of two inputs. */
export interface PairIndices {
  inputs: [string, string];
  /** The share of the variance that comes from the interaction; left out if chance hides it. */
  value?: number;
  interval?: Interval;
  /**
   * For two inputs with two levels each: half the difference between the effects of one input at the two levels of the
   * other.
   */
  effect?: number;
  effectInterval?: Interval;
  p?: number;
  /** The effects that the design cannot distinguish from this interaction. */
  aliases?: string[];
}

/** The prediction of a search's model along an input, with the other inputs at the best point. */
export interface Slice {
  input: string;
  /** Points by ascending x. `low` and `high` are the ends of the interval of the expected value. */
  points: { x: number; value: number; low: number; high: number }[];
}

/** Indices of a curve at one time. */
export interface TimeIndices {
  time: number;
  indices: InputIndices[];
  secondOrder?: PairIndices[];
  r2?: number;
  chance?: Chance;
  /** True if no point has two values at this time, so that the size of chance is unknown. */
  hasUnknownChance?: true;
}

/** The share of the variance from chance in the replications. */
export interface Chance {
  /** The share of chance in the variance of single runs. */
  ofRuns: number;
  /**
   * The share of chance in the variance of the points' means. It is left out with common random numbers, because then
   * chance changes all points in about the same way.
   */
  ofMeans?: number;
  /** True if the runs of each point are equal, but so few that they may hide chance. */
  mayBeHidden?: true;
}

/** Which inputs matter for an output of a campaign. */
export interface Analysis {
  campaign: string;
  output: string;
  method: Method;
  /** Number of runs with a value. */
  runs: number;
  /** One entry per input, in the order of the design. For a curve, the indices are in `times`. */
  indices?: InputIndices[];
  secondOrder?: PairIndices[];
  /** The share of the variance that comes from interactions of three and more inputs, in a full factorial. */
  higherOrder?: number;
  higherOrderInterval?: Interval;
  /**
   * The share of the variance that the regression explains. For a Gaussian process, the share that it explains when it
   * predicts each point from all other points.
   */
  r2?: number;
  /** `r2` of a regression without the part that as many inputs without effect would explain by chance (Theil). */
  adjustedR2?: number;
  adjustedR2Interval?: Interval;
  /** The share of the variance of the ranks that the regression of ranks explains. */
  rankR2?: number;
  /** For a curve (DATA_SET): indices at each time. */
  times?: TimeIndices[];
  chance?: Chance;
  /**
   * True if the size of chance is unknown, because each point has one run with a seed of its own, because no point has
   * two runs with a value, or because the output is a quantile. Then chance, if there is any, is a part of the effects:
   * total Sobol' indices include its share of the variance.
   */
  hasUnknownChance?: true;
  /** For a search: one slice per numeric input. */
  slices?: Slice[];
  /** Why nothing can be said about the effects, as the end of "It is unknown which inputs matter, because …". */
  unknown?: string;
  /** The confidence of the intervals, such as 0.95. */
  confidence: number;
  /** Sentences about data that the estimator left out, and about weaknesses of the sample. */
  warnings: string[];
}

/** The result of a method for one column of values. */
export type Found = Pick<
  Analysis,
  | 'secondOrder'
  | 'higherOrder'
  | 'higherOrderInterval'
  | 'r2'
  | 'adjustedR2'
  | 'adjustedR2Interval'
  | 'rankR2'
  | 'unknown'
  | 'warnings'
> & {
  indices: InputIndices[];
  /** The method, if it is not the method of the design. */
  method?: Method;
};
