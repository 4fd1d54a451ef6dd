/** A run cannot be executed now, through no fault of its model: it is to wait, and to be tried again. */
export class Deferred extends Error {
  override readonly name = 'Deferred';
}
