import * as z from 'zod';
import { aggregationTypes, experimentTypes, inputTypes, outputTypes, runStatuses } from './constants.ts';

/**
 * The resources of the open REST interface, one schema each. Section numbers refer to its specification. Fields that
 * are not in a schema are dropped, so that a newer service does not break an older client.
 */

const units = z.string().nullable();

/** The value of an input in a response (2.3), where all values are strings. */
export const InputItem = z.object({
  name: z.string(),
  type: z.enum(inputTypes),
  units: units.default(null),
  value: z.string(),
});
export type InputItem = z.infer<typeof InputItem>;

/**
 * The value of an input in a request. Older clients also send JSON numbers and booleans, and JSON objects for range and
 * random types (notes on real clients, Runs).
 */
export const RequestInputItem = z.object({
  name: z.string().min(1),
  type: z.enum(inputTypes).optional(),
  units: units.optional(),
  value: z.union(
    [z.string(), z.number(), z.boolean(), z.record(z.string(), z.union([z.string(), z.number()]))],
    'a text, a number, true, false, or an object such as {"min":1,"max":6} is expected',
  ),
});
export type RequestInputItem = z.infer<typeof RequestInputItem>;

/**
 * The x axis of a DATA_SET: its name, units and scale, and the date of x = 0 if the units are units of time. The
 * interface does not have it; our service adds it, and other clients may ignore it.
 */
export const CurveAxis = z.object({
  name: z.string().optional(),
  units: units.optional(),
  scale: z.enum(['linear', 'log']).optional(),
  start: z.string().optional(),
});
export type CurveAxis = z.infer<typeof CurveAxis>;

/** An output of a model, whose `value` is null, or of a run (2.5). */
export const OutputDescriptor = z.object({
  name: z.string(),
  type: z.enum(outputTypes),
  units: units.default(null),
  value: z.string().nullable().default(null),
  axis: CurveAxis.optional(),
});
export type OutputDescriptor = z.infer<typeof OutputDescriptor>;

/** A model (2.1). */
export const Model = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().nullable().default(''),
  modelVersions: z.array(z.string()),
  published: z.boolean().default(false),
});
export type Model = z.infer<typeof Model>;

/** A version of a model (2.2). */
export const Version = z.object({
  id: z.string(),
  version: z.int().min(1),
  experimentTemplate: z.object({
    inputs: z.array(InputItem),
    outputs: z.array(OutputDescriptor),
    dashboard: z.unknown().optional(),
  }),
});
export type Version = z.infer<typeof Version>;

/** A stored experiment (2.4). The set of types is open. */
export const Experiment = z.object({
  uuid: z.string(),
  modelVersion: z.string(),
  name: z.string(),
  type: z.string(),
  inputs: z.array(InputItem),
});
export type Experiment = z.infer<typeof Experiment>;

/** The request for a run (2.6). */
export const RunRequest = z.object({
  experimentType: z.enum(experimentTypes),
  inputs: z.array(RequestInputItem),
});
export type RunRequest = z.infer<typeof RunRequest>;

/** An element of an Outputs array (2.5). */
export const OutputsElement = z.object({
  aggregationType: z.enum(aggregationTypes),
  inputs: z.array(InputItem).default([]),
  outputs: z.array(OutputDescriptor),
  value: z.string(),
});
export type OutputsElement = z.infer<typeof OutputsElement>;
export const Outputs = z.array(OutputsElement);
export type Outputs = z.infer<typeof Outputs>;

/**
 * The outputs template of a results request: an Outputs array with empty values. Each descriptor has at least a name.
 */
export const OutputsTemplate = z.array(
  z.object({
    aggregationType: z.enum(aggregationTypes).optional(),
    inputs: z.array(z.object({ name: z.string() })).nullish(),
    outputs: z
      .array(z.object({ name: z.string(), type: z.enum(outputTypes).optional(), units: units.optional() }))
      .nullish(),
    value: z.string().nullish(),
  }),
);
export type OutputsTemplate = z.infer<typeof OutputsTemplate>;

/** The request for results (2.7). `outputs` is a string that contains an outputs template. */
export const ResultsRequest = RunRequest.extend({ outputs: z.string() });
export type ResultsRequest = z.infer<typeof ResultsRequest>;

/** The content of the JSON text in `message` (2.8 and 2.9). `total` is a percentage. */
export interface RunMessage {
  title: string | null;
  total: number;
  finishedTasks: number;
  totalTasks: number;
  subRuns: RunMessage[];
}
export const RunMessage: z.ZodType<RunMessage> = z.object({
  title: z.string().nullable(),
  total: z.number(),
  finishedTasks: z.int(),
  totalTasks: z.int(),
  get subRuns() {
    return z.array(RunMessage);
  },
});

/** The state of a run (2.9). `message` is JSON text or empty. */
export const RunState = z.object({
  status: z.enum(runStatuses),
  message: z.string().nullable().default(''),
});
export type RunState = z.infer<typeof RunState>;

/** A run (2.8). */
export const Run = RunState.extend({
  id: z.string(),
  inputs: z.array(InputItem),
  modelVersionId: z.string(),
  outputs: z.null().default(null),
});
export type Run = z.infer<typeof Run>;

/** An animated run (2.10). */
export const AnimationInfo = z.object({
  animationHeight: z.int(),
  animationWidth: z.int(),
  animationSpeed: z.number(),
  experimentRunId: z.string(),
  modelUuid: z.string(),
  sessionUuid: z.string(),
  restUrl: z.string(),
  version: z.string(),
  /** The address of the page that draws the run (notes on real clients). */
  bundleUrl: z.string().optional(),
});
export type AnimationInfo = z.infer<typeof AnimationInfo>;

/** The body of every error of our service. Other services may have only `message`, or nothing. */
export const ErrorBody = z.object({
  timestamp: z.string(),
  status: z.int(),
  error: z.string(),
  code: z.string(),
  message: z.string(),
  path: z.string(),
  /** Only in our service: the place of a mistake in a file of a pushed model. */
  place: z.object({ file: z.string(), line: z.int().min(1), column: z.int().min(1) }).optional(),
});
export type ErrorBody = z.infer<typeof ErrorBody>;
