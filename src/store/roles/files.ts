/**
 * A stored file. `size` is in bytes. `putAt` is the time when the file was last put into the store, in ms since the
 * epoch.
 */
export interface StoredFile {
  hash: string;
  size: number;
  putAt: number;
  /** Whether a campaign keeps the file as an output file. */
  isKept: boolean;
}

/**
 * Why a campaign does not have an output file that it should keep: the service does not have the file (`not-found`) or
 * refuses it (`refused`), the file is too large (`too-large`), or all downloads so far have failed (`failing`).
 */
export type MissingReason = 'not-found' | 'refused' | 'too-large' | 'failing';

/** Files: the files that definitions name, output files, and the space that they use. */
export interface FileStore {
  putFile(hash: string, content: Uint8Array, now: number): Promise<void>;
  getFile(hash: string): Promise<Uint8Array | undefined>;
  listFiles(): Promise<StoredFile[]>;
  /** Deletes a file, unless it was put into the store again or a campaign keeps it. */
  deleteFile(file: Pick<StoredFile, 'hash' | 'putAt'>): Promise<void>;
  /** The number of unused bytes in the store. */
  spareBytes(): Promise<number>;
  /** Gives unused space back to the disk. Other writers wait until it has finished. */
  compact(): Promise<void>;

  /**
   * Keeps an output file for a campaign, under the SHA-256 of its content. Returns false if `content` is missing and
   * the store does not have the file.
   *
   * @param hash - the service's name of the file
   */
  keepFile(
    id: string,
    hash: string,
    file: { sha256: string; content?: Uint8Array },
    now: number,
  ): Promise<boolean>;
  /** Records why a campaign does not have an output file. If it has the file, nothing changes. */
  recordMissingFile(id: string, hash: string, lack: MissingReason): Promise<void>;
  /** Maps a service's file hashes to the SHA-256 of the copies that this campaign has stored. */
  keptFiles(id: string, hashes: readonly string[]): Promise<Map<string, string>>;
  /** The number of files that a campaign should keep but does not have, by cause. */
  missingFiles(id: string): Promise<{ lack: MissingReason; count: number }[]>;
}
