export { clockAhead, SAME_TIME_MS } from './clock.ts';
export { CloudClient } from './client.ts';
export { CloudError, type CloudErrorKind, isCloudError, isShortOutage, isUnknownThere } from './errors.ts';
export { isLoopback } from './loopback.ts';
export { LONGEST_REASON, templateOf, valuesOf } from './outputs.ts';
export { withRetries } from './retries.ts';
