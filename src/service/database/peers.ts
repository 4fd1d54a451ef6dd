/** The services that use one database, as seen by one of them. */
export interface Peers {
  /**
   * Makes this service known by an id while its process is connected. The id replaces earlier ids of the service.
   * `folder` is the service's own folder.
   */
  join(holder: string, folder: string): Promise<void>;
  /** Returns the given ids that belong to no connected service. */
  absent(ids: readonly string[]): Promise<string[]>;
  /**
   * Changes the database if no other service uses it. No service can start meanwhile. Returns false if another service
   * uses it.
   */
  alone(change: () => Promise<void>): Promise<boolean>;
  /**
   * Agrees with the other services on settings of the database. The first service sets them, and the others wait until
   * that is done. A service that starts when no other service is connected is the first again.
   */
  agree(set: () => Promise<void>): Promise<void>;
  /** Tells the other services that runs wait. The message may go out a little later. */
  tell(): void;
  /**
   * @param callback - called when another service has announced waiting runs, or when such a message may have been lost
   */
  whenTold(callback: () => void): void;
}
