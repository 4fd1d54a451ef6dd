/** A run cannot be executed now, and its model is not the reason. The run waits and is tried again. */
export class Deferred extends Error {
  override readonly name = 'Deferred';
}
