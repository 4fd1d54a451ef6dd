import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { PRESIGNED_SECONDS } from '../../api/constants.ts';
import type { Database } from '../database/database.ts';
import { settingOrNew } from '../database/settings-table.ts';
import { ServiceError } from '../errors.ts';
import type { NamedFile } from './content-store.ts';

/** Query of a file's address. `expires` is in ms since 1970; `signature` covers `expires`, the file and its name. */
export interface SignedQuery {
  filename: string;
  expires: string;
  signature: string;
}

/** Signs addresses of files. They are valid for five minutes and need no key (specification 4 and 8). */
export class Presigner {
  readonly #secret: string;
  readonly #now: () => number;

  constructor(secret: string, now: () => number) {
    this.#secret = secret;
    this.#now = now;
  }

  sign({ hash, filename }: NamedFile): SignedQuery {
    const expires = String(this.#now() + PRESIGNED_SECONDS * 1000);
    return { filename, expires, signature: this.#signature(hash, filename, expires) };
  }

  /** @throws ServiceError URL_REFUSED if the address has expired or its signature is wrong */
  verify(hash: string, { filename, expires, signature }: SignedQuery): void {
    const wanted = Buffer.from(this.#signature(hash, filename, expires));
    const given = Buffer.from(signature);
    if (wanted.length !== given.length || !timingSafeEqual(wanted, given)) {
      throw new ServiceError('URL_REFUSED', 'This address does not have a valid signature of this service.');
    }
    if (this.#now() > Number(expires)) {
      throw new ServiceError(
        'URL_REFUSED',
        `This address has expired: it was valid for ${PRESIGNED_SECONDS} seconds.`,
      );
    }
  }

  #signature(...parts: string[]): string {
    return createHmac('sha256', this.#secret).update(JSON.stringify(parts)).digest('base64url');
  }
}

/** The secret that signs addresses. It is stored, so that addresses stay valid after a restart. */
export function signingSecret(database: Database): Promise<string> {
  return settingOrNew(database, 'signing_secret', () => randomBytes(32).toString('base64url'));
}
