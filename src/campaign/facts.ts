import type { Experiment, Version } from '../api/index.ts';
import type { ModelInput } from './values.ts';

/** A version whose inputs say what the model allows. */
export interface LimitedVersion extends Version {
  experimentTemplate: Omit<Version['experimentTemplate'], 'inputs'> & { inputs: ModelInput[] };
}

/** What the service says about the model that a definition names. */
export interface ModelFacts {
  name: string;
  version: LimitedVersion;
  experiments: readonly Experiment[];
}
