export { CloudClient } from './client.ts';
export { CloudError, type CloudErrorKind, isCloudError } from './errors.ts';
export { templateOf, valuesOf } from './outputs.ts';
