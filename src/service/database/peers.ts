/** The services that use one database, as seen by one of them. */
export interface Peers {
  /**
   * Makes this service known by two ids while its process is connected: `holder`, and `folder`, the name of its own
   * folder. They replace earlier ids of the service.
   */
  join(holder: string, folder: string): Promise<void>;
  /** Returns the given ids that belong to no connected service. */
  absent(ids: readonly string[]): Promise<string[]>;
  /**
   * Changes the database if no other service uses it. No other service can start meanwhile. Returns false, and changes
   * nothing, if another service uses the database.
   */
  alone(change: () => Promise<void>): Promise<boolean>;
  /**
   * Agrees with the other services on settings of the database. The first service sets them, and the others wait until
   * that is done. A service that starts when no other service is connected is the first again.
   */
  agree(set: () => Promise<void>): Promise<void>;
  /** Tells the services that runs wait. The message goes out a little later, and may be lost. */
  notify(): void;
  /**
   * @param callback - called when a service (also this one) has announced waiting runs, or when such a message may have
   *   been lost
   */
  onNotify(callback: () => void): void;
}
