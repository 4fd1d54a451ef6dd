/** The status of an answer about a process's health, and the parts that the process cannot use. */
export async function healthAt(
  port: number,
  path: '/health' | '/ready',
): Promise<{ status: number; healthy: boolean; failed: string[] }> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`);
  const { healthy, parts } = (await answer.json()) as {
    healthy: boolean;
    parts: { part: string; state: string }[];
  };
  const failed = parts.filter(({ state }) => state !== 'ok').map(({ part }) => part);
  return { status: answer.status, healthy, failed };
}

/** The answer of a process that has all that it needs. */
export const WELL = { status: 200, healthy: true, failed: [] };
