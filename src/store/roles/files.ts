/** A file of campaigns. `size` in bytes; `putAt` when somebody last put it there, ms since the epoch. */
export interface StoredFile {
  hash: string;
  size: number;
  putAt: number;
  /** A campaign has it as the file of an output. */
  isKept: boolean;
}

/**
 * Why a campaign lacks the file of an output that it should keep: the service does not have it, or refuses it; it is too
 * large; it could not be fetched so far.
 */
export type FileLack = 'not-found' | 'refused' | 'too-large' | 'failing';

/** Files: those that definitions name, those of outputs, and the space that they take. */
export interface FileStore {
  putFile(hash: string, content: Uint8Array, now: number): Promise<void>;
  getFile(hash: string): Promise<Uint8Array | undefined>;
  listFiles(): Promise<StoredFile[]>;
  /** Deletes a file, unless somebody has put it there since or keeps it. */
  deleteFile(file: Pick<StoredFile, 'hash' | 'putAt'>): Promise<void>;
  /** Number of bytes that the store occupies without need. */
  spareBytes(): Promise<number>;
  /** Gives the spare bytes back to the disk. Other writers wait meanwhile. */
  compact(): Promise<void>;

  /**
   * Keeps the file of an output for a campaign, under its own SHA-256. Without content it must be in the store already;
   * false if it is not.
   *
   * @param hash the service's name of the file
   */
  keepFile(
    id: string,
    hash: string,
    file: { sha256: string; content?: Uint8Array },
    now: number,
  ): Promise<boolean>;
  /** Records why a campaign does not have a file, unless it has it. */
  lackFile(id: string, hash: string, lack: FileLack): Promise<void>;
  /** Maps a service's file hashes to the SHA-256 of the copies that this campaign has stored. */
  keptFiles(id: string, hashes: readonly string[]): Promise<Map<string, string>>;
  /** Number of files that a campaign should keep and lacks, by cause. */
  lackingFiles(id: string): Promise<{ lack: FileLack; count: number }[]>;
}
