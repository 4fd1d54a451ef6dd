import type { Job, Ready } from '../executors/protocol.ts';
import type { AnimationDeclaration } from '../models/declaration.ts';

/** What the process of an animated run is told first. */
export interface AnimationData {
  job: Job;
  animation: AnimationDeclaration;
}

/** What it is told later. A `draw` is answered with a frame each, in order. */
export type Command =
  | { kind: 'draw' }
  | { kind: 'pause' }
  | { kind: 'run' }
  /** How much of the scene's time passes in a second; Infinity: as fast as can be drawn. */
  | { kind: 'speed'; speed: number };

/** The run at one moment. Times are in the animation's units. */
export interface Frame {
  time: number;
  end: number;
  /** A whole SVG document, not to be trusted: a model has drawn it. */
  svg: string;
}

/** What it says: a frame when the run has started, then one a `draw`. The last three end the run. */
export type AnimationReport =
  | Ready
  | { kind: 'frame'; frame: Frame }
  | { kind: 'progress'; fraction: number }
  | { kind: 'completed'; outputs: Record<string, string>; frame: Frame }
  | { kind: 'failed'; reason: string }
  /** It cannot be executed now, through no fault of the model. */
  | { kind: 'deferred'; reason: string };
