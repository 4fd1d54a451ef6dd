import autocannon from 'autocannon';

/** One request, which is sent repeatedly. */
export interface Shot {
  url: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  /** One body, or several bodies: each connection sends its own share of them in turns. */
  body?: string | readonly string[];
}

const CONNECTIONS = 16;

export interface Felt {
  requestsPerSecond: number;
  /** The median time of an answer, ms. */
  p50: number;
  /** 99 % of the answers take at most this time, ms. */
  p99: number;
}

/**
 * Sends a request repeatedly for some seconds. Each connection sends its next request when it has an answer. With
 * `rate`, all connections together send this number of requests per second.
 *
 * @throws Error if an answer is missing, or has a status outside 200 to 299
 */
export async function shoot({ body, ...shot }: Shot, seconds: number, rate?: number): Promise<Felt> {
  const bodies = body === undefined ? [] : [body].flat();
  let clients = 0;
  const result = await autocannon({
    ...shot,
    ...(bodies.length === 1 && { body: bodies[0]! }),
    ...(bodies.length > 1 && {
      setupClient(client) {
        const own = bodies.filter((_, at) => at % CONNECTIONS === clients);
        clients += 1;
        client.setRequests(own.map((each) => ({ ...shot, body: each })));
      },
    }),
    connections: CONNECTIONS,
    duration: seconds,
    ...(rate !== undefined && { overallRate: rate }),
  });
  if (result.non2xx + result.errors > 0) {
    throw new Error(
      `${shot.url}: ${result.non2xx} answers had a status outside 200 to 299, and ${result.errors} answers are missing`,
    );
  }
  return {
    requestsPerSecond: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}
