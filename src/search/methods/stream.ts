export { Stream } from '../../campaign/sampling/stream.ts';
