import path from 'node:path';

export const KEY = 'b54e1c86-6b41-4f33-93ba-0f3d5c1e7a11';
export const SHIPPED_MODELS = path.resolve(import.meta.dirname, '../../models');
/**
 * The shipped model that most tests need. The start of a service with only this model needs a third of the CPU time of
 * a start with all shipped models.
 */
export const REHEARSAL = path.join(SHIPPED_MODELS, 'rehearsal');
/** The shipped model that most tests of searches need. */
export const EPIDEMIC = path.join(SHIPPED_MODELS, 'epidemic');
export const INVENTORY = path.join(SHIPPED_MODELS, 'inventory');
export const SERVICE_SYSTEM = path.join(SHIPPED_MODELS, 'service-system');
