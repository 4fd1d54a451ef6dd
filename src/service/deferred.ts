/** A run cannot be executed now, and its model is not the reason. The run waits and is tried again. */
export class Deferred extends Error {
  override readonly name = 'Deferred';
  /**
   * Whether it is not known that the machine lacks something. Such a run is put back only a limited number of times. Any
   * other run waits until the machine has what it lacks.
   */
  readonly isLasting: boolean;

  constructor(
    message: string,
    { isLasting = false, ...options }: ErrorOptions & { isLasting?: boolean } = {},
  ) {
    super(message, options);
    this.isLasting = isLasting;
  }
}
