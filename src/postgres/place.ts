import { ForayError } from '../errors.ts';

/** The words by which errors name a database. */
export interface Place {
  /** What the database is, as the first words of a sentence: 'The store'. */
  name: string;
  /** The address of the database, without a password. */
  shown: string;
  /** How a person sets the address: '--store or FORAY_STORE'. */
  setBy: string;
}

/**
 * The address of a PostgreSQL database for messages, without user and password. Undefined if the text is not an address
 * of PostgreSQL.
 */
export function shownPostgres(address: string): string | undefined {
  if (!/^postgres(ql)?:\/\//.test(address) || !URL.canParse(address)) return undefined;
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname}`;
}

/** An address that cannot be parsed, without the part that may be a password. */
export function withoutSecret(address: string): string {
  return address.replace(/\/\/.*@/, '//…@');
}

/** The error of a server that cannot be reached. @param why - the end of a sentence, without a full stop */
export function unreachable({ name, shown, setBy }: Place, why: string): ForayError {
  return new ForayError('STORE_UNREACHABLE', `${name} ${shown} cannot be reached: ${why}.`, {
    hint: `Check that PostgreSQL is running there, and that ${setBy} has the right address.`,
  });
}
