/** The services that use one database, from one of them. */
export interface Peers {
  /**
   * Makes this service known by an id, instead of earlier ids, as long as its process is connected. `folder` is its own folder.
   */
  join(holder: string, folder: string): Promise<void>;
  /** Those of some ids by which no connected service is known. */
  absent(ids: readonly string[]): Promise<string[]>;
  /** Changes the database, if no other service uses it; none starts meanwhile. False if one does. */
  alone(change: () => Promise<void>): Promise<boolean>;
  /**
   * Agrees with the others on settings of the database. The first of them sets these, and the rest wait until that is done; a
   * service that comes when all others are gone is the first again.
   */
  agree(set: () => Promise<void>): Promise<void>;
  /** Tells the others soon that runs wait. */
  tell(): void;
  /** @param callback - called when another one has told that, or may have */
  whenTold(callback: () => void): void;
}
