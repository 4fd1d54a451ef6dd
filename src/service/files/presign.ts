import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { PRESIGNED_SECONDS } from '../../api/constants.ts';
import type { Database } from '../database/database.ts';
import { settingOf } from '../database/settings.ts';
import { ServiceError } from '../errors.ts';
import type { NamedFile } from './content-store.ts';

/** Query of the address of an upload: `expires` in milliseconds since 1970, `signature` over it and the file. */
export interface SignedUpload {
  expires: string;
  signature: string;
}

/** Query of the address of a download. */
export interface SignedQuery extends SignedUpload {
  filename: string;
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
    const expires = this.#expires();
    return { filename, expires, signature: this.#signature(hash, filename, expires) };
  }

  signUpload(hash: string): SignedUpload {
    const expires = this.#expires();
    return { expires, signature: this.#signature(...uploadOf(hash), expires) };
  }

  /** @throws ServiceError URL_REFUSED if the address has expired or its signature is wrong */
  verify(hash: string, { filename, ...signed }: SignedQuery): void {
    this.#verify([hash, filename], signed);
  }

  /** @throws ServiceError URL_REFUSED as for downloads; the address of a download is no address of an upload */
  verifyUpload(hash: string, signed: SignedUpload): void {
    this.#verify(uploadOf(hash), signed);
  }

  #verify(what: readonly string[], { expires, signature }: SignedUpload): void {
    const wanted = Buffer.from(this.#signature(...what, expires));
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

  #expires(): string {
    return String(this.#now() + PRESIGNED_SECONDS * 1000);
  }

  #signature(...parts: string[]): string {
    return createHmac('sha256', this.#secret).update(JSON.stringify(parts)).digest('base64url');
  }
}

/** What is signed for an upload. It has one part more than a download, so neither can pass for the other. */
function uploadOf(hash: string): string[] {
  return ['PUT', hash, ''];
}

/** The secret that signs addresses. It is kept, so that they stay valid after a restart. */
export function signingSecret(database: Database): Promise<string> {
  return settingOf(database, 'signing_secret', () => randomBytes(32).toString('base64url'));
}
