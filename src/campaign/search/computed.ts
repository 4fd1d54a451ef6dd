import type { Allowed } from '../../api/index.ts';
import type { Derivation } from '../designs/expressions.ts';

/** An input that a search or a calibration computes from others. A point is allowed only if the value is. */
export interface Computed extends Derivation {
  allowed: Allowed;
}

/** What decides whether a point may be run. */
export interface WrittenRules {
  /** A condition that each point must meet; null for none. */
  where: string | null;
  /** The inputs that are computed from others, one after the other; absent if there are none. */
  derive?: Computed[];
}
