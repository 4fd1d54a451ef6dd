import type { Experiment, Version } from '../api/index.ts';
import type { ModelInput } from './input-values.ts';

/** A version, with the allowed values of its inputs. */
export interface LimitedVersion extends Version {
  experimentTemplate: Omit<Version['experimentTemplate'], 'inputs'> & { inputs: ModelInput[] };
}

/** The service's facts about the model that a definition names. */
export interface ModelFacts {
  name: string;
  version: LimitedVersion;
  experiments: readonly Experiment[];
}
