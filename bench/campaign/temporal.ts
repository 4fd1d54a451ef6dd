import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { freePort } from '../../src/dev/ports.ts';
import { Process } from '../process.ts';

const LIFELINE = resolve(import.meta.dirname, '../../src/dev/run-with-parent.ts');
const START_MS = 60_000;
/** How long to wait until Temporal lists all executions as closed, ms. */
const LISTED_MS = 30_000;

/** Temporal's development server in its own process, with its database in a file. */
export class Temporal {
  readonly process: Process;
  readonly address: string;
  readonly client: Client;
  readonly #closing = new AbortController();

  private constructor(started: Process, address: string, client: Client) {
    this.process = started;
    this.address = address;
    this.client = client;
  }

  /** @param own registers the process, so that the bench always ends it */
  static async start(cli: string, folder: string, own: (started: Process) => Process): Promise<Temporal> {
    const port = await freePort(0);
    const started = own(
      new Process({
        name: 'Temporal server',
        args: [
          ...[
            LIFELINE,
            cli,
            'server',
            'start-dev',
            '--ip',
            '127.0.0.1',
            '--port',
            String(port),
            '--headless',
          ],
          ...['--db-filename', join(folder, 'temporal.db'), '--log-level', 'never'],
        ],
      }),
    );
    const address = `127.0.0.1:${port}`;
    const connection = await connected(address);
    return new Temporal(started, address, new Client({ connection }));
  }

  async close(): Promise<void> {
    // otherwise a call that still waits for a result would use a closed connection
    this.#closing.abort();
    await this.client.connection.close();
  }

  /** Waits for the end of a workflow, and returns its result. */
  resultOf<T>(workflowId: string): Promise<T> {
    const handle = this.client.workflow.getHandle(workflowId);
    return this.client.connection.withAbortSignal(this.#closing.signal, () => handle.result() as Promise<T>);
  }

  /**
   * Counts the events in the histories of all executions of a query. It first waits until there are at least `least`
   * executions, and all of them have closed.
   */
  async historyEvents(query: string, least: number): Promise<number> {
    const until = Date.now() + LISTED_MS;
    for (;;) {
      const executions = await Array.fromAsync(this.client.workflow.list({ query }));
      const isWhole = executions.length >= least && executions.every(({ closeTime }) => closeTime);
      if (isWhole) return executions.reduce((sum, { historyLength }) => sum + historyLength, 0);
      if (Date.now() > until) throw new Error(`Temporal does not list ${least} closed executions (${query})`);
      await delay(200);
    }
  }
}

async function connected(address: string): Promise<Connection> {
  const until = Date.now() + START_MS;
  for (;;) {
    try {
      const connection = await Connection.connect({ address, connectTimeout: 1_000 });
      await connection.workflowService.describeNamespace({ namespace: 'default' });
      return connection;
    } catch (error) {
      if (Date.now() > until) throw error;
      await delay(200);
    }
  }
}
