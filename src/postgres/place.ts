/** A database, as errors name it. */
export interface Place {
  /** What it is, as the first words of a sentence: 'The store'. */
  name: string;
  /** Its address, without a password. */
  shown: string;
  /** How a person sets the address: '--store or FORAY_STORE'. */
  setBy: string;
}

/** The address of a database in PostgreSQL to show to people: without user and password. Undefined if it is no such address. */
export function shownPostgres(address: string): string | undefined {
  if (!/^postgres(ql)?:\/\//.test(address) || !URL.canParse(address)) return undefined;
  const { protocol, host, pathname } = new URL(address);
  return `${protocol}//${host}${pathname}`;
}

/** An address that cannot be read, without what may be a password. */
export function withoutSecret(address: string): string {
  return address.replace(/\/\/.*@/, '//…@');
}
