import { type CompiledQuery, type DatabaseConnection, type Dialect, PostgresDialect } from 'kysely';
import pg from 'pg';
import { ForayError, messageOf } from '../errors.ts';

/** Connections of one process at most: activities wait for each other rather than open one each. */
const CONNECTIONS = 8;
/**
 * What is asked here is asked such that it can be answered by walks along indices, from where the last page ended. Before
 * PostgreSQL has counted a new campaign's rows it takes them for few, and would read and sort them all for each page.
 */
const WALKS = ['hashjoin', 'mergejoin', 'bitmapscan'].map((way) => `-c enable_${way}=off`).join(' ');
/** How long a connection is waited for, ms. */
const PATIENCE = 10_000;
/** What Node says of a server that is not there, or that goes away. */
const NETWORK = /^(ECONN|EHOST|ENET|ENOTFOUND|EAI_|ETIMEDOUT|EPIPE)/;
/**
 * What PostgreSQL says when it goes, comes or has no place left: classes 08 and 53, and of class 57 the shutdowns.
 * https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const GONE = /^(08|53)...$|^57P0[1-3]$/;

/**
 * Kysely's PostgreSQL dialect over node-postgres. A commit is on the server's disk when it returns, so that it survives
 * what the server survives.
 *
 * @param address `postgres://USER:PASSWORD@HOST:PORT/DATABASE`; what it leaves out comes from PGUSER, PGPASSWORD and the
 *   other variables of libpq
 * @param shown where the database is, for people
 */
export function postgresDialect(address: string, shown: string): Dialect {
  const pool = new pg.Pool({
    connectionString: address,
    application_name: 'foray',
    max: CONNECTIONS,
    connectionTimeoutMillis: PATIENCE,
    options: WALKS,
    // ms since the epoch and counts are below 2^53
    types: {
      getTypeParser: (type, format) => (type === pg.types.builtins.INT8 ? Number : parserOf(type, format)),
    },
  });
  // an idle connection that breaks is no error: the next to need one gets another
  pool.on('error', () => undefined);
  // one that breaks within a transaction fails its next statement; without a listener it would end the process
  pool.on('connect', (client) => client.on('error', () => undefined));
  return new PostgresDialect({
    pool: {
      options: pool.options,
      connect: () =>
        pool.connect().catch((error: unknown) => {
          throw explained(error, shown);
        }),
      end: () => pool.end(),
    },
    onCreateConnection: (connection) => Promise.resolve(explain(connection, shown)),
  });
}

function parserOf(type: number, format: 'text' | 'binary' = 'text'): (text: string) => unknown {
  return pg.types.getTypeParser(type, format) as (text: string) => unknown;
}

/** Lets a connection send what PostgreSQL can keep, and say what became of the server. */
function explain(connection: DatabaseConnection, shown: string): void {
  const execute = connection.executeQuery.bind(connection);
  connection.executeQuery = async <Row>(query: CompiledQuery, ...others: []) => {
    try {
      return await execute<Row>(storable(query), ...others);
    } catch (error) {
      throw explained(error, shown);
    }
  };
}

/** PostgreSQL's texts hold every character but NUL. */
function storable(query: CompiledQuery): CompiledQuery {
  const hasNul = (value: unknown): value is string => typeof value === 'string' && value.includes('\0');
  if (!query.parameters.some(hasNul)) return query;
  return {
    ...query,
    parameters: query.parameters.map((value) => (hasNul(value) ? value.replaceAll('\0', '\uFFFD') : value)),
  };
}

function explained(error: unknown, shown: string): unknown {
  const { code = '' } = error as { code?: string };
  const message = messageOf(error);
  if (
    !NETWORK.test(code) &&
    !GONE.test(code) &&
    !/connection terminated|connection error|timeout exceeded/i.test(message)
  )
    return error;
  return new ForayError('STORE_UNREACHABLE', `The store ${shown} cannot be reached: ${message || code}.`, {
    hint: 'Check that PostgreSQL runs there, and the address in --store or FORAY_STORE.',
  });
}
