export { CloudClient } from './client.ts';
export { CloudError, type CloudErrorKind, isCloudError } from './errors.ts';
export { reasonIn, templateOf, valuesOf } from './outputs.ts';
