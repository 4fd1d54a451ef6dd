import { type CompiledQuery, type DatabaseConnection, type Dialect, PostgresDialect } from 'kysely';
import pg from 'pg';
import { messageOf } from '../errors.ts';
import { type Place, unreachable } from './place.ts';

/** Maximum number of connections of one pool. A query waits for a free connection, and does not open its own. */
const CONNECTIONS = 8;
/**
 * Turns off hash joins, merge joins and bitmap scans. Index scans that start where the last page ended can answer every
 * query of foray. Before PostgreSQL has collected statistics for new rows, it assumes that there are few rows, and
 * would read and sort all rows for each page.
 */
const INDEX_SCANS_ONLY = ['hashjoin', 'mergejoin', 'bitmapscan']
  .map((way) => `-c enable_${way}=off`)
  .join(' ');
/**
 * Settings for plans that a connection keeps. A table that was small when PostgreSQL made the plan may be large now, so
 * a plan must not read the whole table (seqscan). With such scans off, a query that has to read a whole table looks
 * expensive. PostgreSQL would compile it (JIT), which only costs time, so JIT is off as well.
 */
const KEPT_PLANS = '-c enable_seqscan=off -c jit=off';
/** How long to wait for a connection, ms. */
const CONNECT_TIMEOUT = 10_000;
/** Error codes of Node for a server that does not answer or that goes away. */
const NETWORK = /^(ECONN|EHOST|ENET|ENOTFOUND|EAI_|ETIMEDOUT|EPIPE)/;
/**
 * Error codes of PostgreSQL when a connection fails (class 08), resources are missing (class 53), or the server shuts
 * down or starts (a part of class 57). https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const GONE = /^(08|53)...$|^57P0[1-3]$/;
/** Messages of node-postgres, whose own errors have no code. */
const GONE_MESSAGE = /connection terminated|connection error|timeout exceeded/i;

/**
 * Kysely's PostgreSQL dialect on node-postgres. A commit returns when the server has written it to its disk, so a crash
 * of the server does not lose the commit.
 *
 * @param address `postgres://USER:PASSWORD@HOST:PORT/DATABASE`; missing parts come from PGUSER, PGPASSWORD and the
 *   other variables of libpq
 * @param nameOf gives a statement a name, so that each connection plans it only once. A statement without a name is
 * planned again at each execution.
 */
export function postgresDialect(
  address: string,
  place: Place,
  nameOf?: (text: string) => string | undefined,
): Dialect {
  const pool = new pg.Pool({
    connectionString: address,
    application_name: 'foray',
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT,
    options: nameOf ? `${INDEX_SCANS_ONLY} ${KEPT_PLANS}` : INDEX_SCANS_ONLY,
    // a number can hold each INT8 of foray: times (ms since the epoch) and counts are below 2^53
    types: {
      getTypeParser: (type, format) => (type === pg.types.builtins.INT8 ? Number : parserOf(type, format)),
    },
  });
  // without these listeners, a broken connection would end the process: the pool replaces an idle one later, and a broken
  // transaction fails at its next statement
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    if (nameOf) keepPlans(client, nameOf);
  });
  return new PostgresDialect({
    pool: {
      options: pool.options,
      connect: () =>
        pool.connect().catch((error: unknown) => {
          throw explained(error, place);
        }),
      end: () => pool.end(),
    },
    onCreateConnection: (connection) => Promise.resolve(adapt(connection, place)),
  });
}

/** Adds the names of statements, so that the connection keeps their plans. Kysely passes only a text and values. */
function keepPlans(client: pg.PoolClient, nameOf: (text: string) => string | undefined): void {
  const query = client.query.bind(client);
  const named = (text: string, values?: unknown[]) => {
    const name = nameOf(text);
    return name === undefined ? query(text, values) : query({ name, text, values: values ?? [] });
  };
  client.query = named as typeof client.query;
}

function parserOf(type: number, format: 'text' | 'binary' = 'text'): (text: string) => unknown {
  return pg.types.getTypeParser(type, format) as (text: string) => unknown;
}

/** Makes a connection replace the character that PostgreSQL cannot store (NUL), and explain errors of the network. */
function adapt(connection: DatabaseConnection, place: Place): void {
  const execute = connection.executeQuery.bind(connection);
  connection.executeQuery = async <Row>(query: CompiledQuery, ...others: []) => {
    try {
      return await execute<Row>(storable(query), ...others);
    } catch (error) {
      throw explained(error, place);
    }
  };
}

/** Replaces NUL, the only character that a text in PostgreSQL cannot contain. */
function storable(query: CompiledQuery): CompiledQuery {
  const hasNul = (value: unknown): value is string => typeof value === 'string' && value.includes('\0');
  if (!query.parameters.some(hasNul)) return query;
  return {
    ...query,
    parameters: query.parameters.map((value) => (hasNul(value) ? value.replaceAll('\0', '\uFFFD') : value)),
  };
}

/** Turns an error of the network into an error that names the server. Returns other errors unchanged. */
export function explained(error: unknown, place: Place): unknown {
  const { code = '' } = error as { code?: string };
  const message = messageOf(error);
  const isGone = NETWORK.test(code) || GONE.test(code) || GONE_MESSAGE.test(message);
  return isGone ? unreachable(place, message || code) : error;
}
