import autocannon from 'autocannon';

/** One request, sent over and over. */
export interface Shot {
  url: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
}

const CONNECTIONS = 16;

export interface Felt {
  requestsPerSecond: number;
  /** ms */
  p50: number;
  p99: number;
}

/**
 * Sends a request for some seconds: as fast as it is answered, or `rate` times a second, whatever the answers take.
 *
 * @throws Error when one is not answered with 200
 */
export async function shoot(shot: Shot, seconds: number, rate?: number): Promise<Felt> {
  const result = await autocannon({
    ...shot,
    connections: CONNECTIONS,
    duration: seconds,
    ...(rate !== undefined && { overallRate: rate }),
  });
  if (result.non2xx + result.errors > 0) {
    throw new Error(`${result.non2xx} answers of ${shot.url} were no 200, ${result.errors} did not come`);
  }
  return {
    requestsPerSecond: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
  };
}
