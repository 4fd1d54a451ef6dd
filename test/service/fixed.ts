import path from 'node:path';

export const KEY = 'b54e1c86-6b41-4f33-93ba-0f3d5c1e7a11';
export const SHIPPED_MODELS = path.resolve(import.meta.dirname, '../../models');
