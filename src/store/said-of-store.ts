import type { ErrorCode } from '../error-codes.ts';

const ASK = 'Tell the operator of foray: "foray doctor" says more.';

/**
 * What people on other machines learn of a store that cannot be used. They do not see the error's own text, because it
 * has the path or the address of the store.
 */
export const saidOfStore: Partial<Record<ErrorCode, { what: string; hint: string }>> = {
  STORE_LOST: { what: 'The file of the store was removed or replaced.', hint: ASK },
  STORE_UNREACHABLE: { what: 'The store cannot be reached.', hint: ASK },
  STORE_UNUSABLE: { what: 'The store cannot be used.', hint: ASK },
  STORE_MISSING: { what: 'The file of the store is missing.', hint: ASK },
  STORE_NEWER: {
    what: 'A newer foray has changed the store.',
    hint: 'Stop this foray, and start the newer one. Nothing is lost.',
  },
};
