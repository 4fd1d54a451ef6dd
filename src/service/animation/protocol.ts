import type { Job, Ready } from '../executors/protocol.ts';
import type { AnimationDeclaration } from '../models/declaration.ts';
import type { SceneValueDeclaration, ViewArea } from '../models/model.ts';

/** The first message to the process of an animated run. */
export interface AnimationData {
  job: Job;
  animation: AnimationDeclaration;
}

/** The later messages to the process. The process answers each `draw` with a frame, in order. */
export type Command =
  | { kind: 'draw' }
  | { kind: 'pause' }
  | { kind: 'run' }
  /** The scene's time per second; Infinity: as fast as pictures can be drawn. */
  | { kind: 'speed'; speed: number }
  /** The part of the picture that is drawn from now on; null for all of it. */
  | { kind: 'view'; area: ViewArea | null }
  | (Question & { id: number });

/** Reads or sets a value of the scene, or calls a function of the scene. The process replies `answer` or `refused`. */
export type Question =
  | { kind: 'get'; name: string; type: SceneValueDeclaration['type'] }
  | { kind: 'set'; name: string; value: unknown }
  | { kind: 'call'; name: string; args: unknown[] };

/** The run at one moment. Times are in the animation's units. */
export interface Frame {
  time: number;
  end: number;
  /** A complete SVG document. It is untrusted, because a model has drawn it. */
  svg: string;
}

/**
 * The messages of the process. The first frame comes when the run has started; each later frame answers a `draw`. The
 * last three kinds end the run.
 */
export type AnimationReport =
  | Ready
  | { kind: 'frame'; frame: Frame }
  | { kind: 'progress'; fraction: number }
  /** JSON text of a value or of what a function returned; `null` when a value was set. */
  | { kind: 'answer'; id: number; text: string }
  | { kind: 'refused'; id: number; reason: string }
  | { kind: 'completed'; outputs: Record<string, string>; frame: Frame }
  | { kind: 'failed'; reason: string }
  /** The run cannot be executed now, and the model is not the reason. */
  | { kind: 'deferred'; reason: string };
