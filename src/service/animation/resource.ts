import type { TimeUnit } from '../../api/constants.ts';
import type { Frame } from './protocol.ts';
import type { Session } from './session.ts';
import type { Shown } from './sessions.ts';

/** The state of an animated run for its page (docs/guides/animation.md). */
export interface FrameResource {
  status: 'RUNNING' | 'PAUSED' | 'COMPLETED' | 'STOPPED' | 'FAILED';
  /** Why the run FAILED, or why the service STOPPED it. */
  reason: string | null;
  model: string;
  /** The current time, in `units`. */
  time: number;
  /** The time at which the run ends, in `units`. */
  end: number;
  units: TimeUnit;
  /** The speed of the run, in `units` per second. The text "Infinity" means as fast as the run can be drawn. */
  speed: number | 'Infinity';
  /** The `speed` at the start. */
  nativeSpeed: number;
  /** An SVG document; it comes from the model. */
  svg: string;
}

export function frameResource(
  { session, model, animation }: Shown,
  { time, end, svg }: Frame,
): FrameResource {
  const { ending, paused, speed } = session;
  return {
    status: ending?.status ?? (paused ? 'PAUSED' : 'RUNNING'),
    reason: (ending && 'reason' in ending && ending.reason) || null,
    model,
    time,
    end,
    units: animation.units,
    speed: speed === Infinity ? 'Infinity' : speed,
    nativeSpeed: animation.speed,
    svg,
  };
}

const endWords = { COMPLETED: 'FINISHED', FAILED: 'ERROR', STOPPED: 'STOPPED' } as const;

/** The state, as the word that existing clients expect. */
export function stateWord({ ending, paused }: Session): string {
  if (ending) return endWords[ending.status];
  return paused ? 'PAUSED' : 'RUNNING';
}
