import type { Experiment, Version } from '../api/index.ts';

/** What the service says about the model that a definition names. */
export interface ModelFacts {
  name: string;
  version: Version;
  experiments: readonly Experiment[];
}
