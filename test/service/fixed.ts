import path from 'node:path';

export const KEY = 'b54e1c86-6b41-4f33-93ba-0f3d5c1e7a11';
export const SHIPPED_MODELS = path.resolve(import.meta.dirname, '../../models');
/** The shipped model that most tests need. With only this model, a service needs a third of the CPU time to start. */
export const REHEARSAL = path.join(SHIPPED_MODELS, 'rehearsal');
/** The shipped model that most tests of searches need. */
export const EPIDEMIC = path.join(SHIPPED_MODELS, 'epidemic');
