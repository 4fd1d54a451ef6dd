/** A run cannot be executed now, and its model is not the reason. The run waits and is tried again. */
export class Deferred extends Error {
  override readonly name = 'Deferred';
  /**
   * Whether the reason may last. Such a run is put back only a limited number of times. Otherwise the machine lacks
   * something, and the run waits until the machine has it.
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
