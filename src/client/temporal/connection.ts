import { setTimeout as delay } from 'node:timers/promises';
import { Client, type Connection } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import type { Settings } from '../settings.ts';
import { connectTemporal } from '../../temporal-connection.ts';
import { tracing } from '../../tracing.ts';
import { connectError, DEFAULT_NAMESPACE, isTooLate, unreachable } from '../../temporal-errors.ts';

const CONNECT_MS = 5_000;
/** How long to wait for the connection, and then for the answer to a question, ms. */
const ANSWER_MS = 1_200;
/** Temporal is silent when it has answered no question for this time, ms. A busy server answers some of them. */
const SILENT_MS = 10_000;
/** The state of a gRPC channel that is connected. */
const READY = 2;

/** The client's connection to Temporal. It connects when it is first needed. */
export class TemporalConnection {
  readonly settings: Settings;
  readonly #converter: DataConverter;
  /** The connection, or the attempt to connect. All calls share it. */
  #connecting: Promise<Connection> | undefined;
  /** When Temporal last answered a question, by a monotonic clock, ms. */
  #answeredAt = -Infinity;

  constructor(settings: Settings, converter: DataConverter) {
    this.settings = settings;
    this.#converter = converter;
  }

  async close(): Promise<void> {
    const connection = await this.#connecting?.catch(() => undefined);
    await connection?.close();
  }

  /** @throws ForayError TEMPORAL_UNREACHABLE, TEMPORAL_REFUSED */
  async connect(timeout = CONNECT_MS): Promise<Client> {
    // an attempt that another caller began may take longer than this caller waits
    const tooLong = delay(timeout, undefined, { ref: false });
    const connection = await Promise.race([(this.#connecting ??= this.#attempt(timeout)), tooLong]);
    if (!connection) throw unreachable(this.settings);
    const { temporal } = this.settings;
    return new Client({
      connection,
      dataConverter: this.#converter,
      ...(temporal.namespace && { namespace: temporal.namespace }),
      ...(tracing && { interceptors: { workflow: [tracing.ofClient] } }),
    });
  }

  /**
   * Asks Temporal a question. Connection and answer have 1.2 s each.
   *
   * @throws ForayError TEMPORAL_UNREACHABLE, TEMPORAL_REFUSED; errors of the SDK
   */
  async ask<T>(question: (client: Client) => Promise<T>): Promise<T> {
    const client = await this.connect(ANSWER_MS);
    const answer = await client.withDeadline(Date.now() + ANSWER_MS, () => question(client));
    this.#answeredAt = performance.now();
    return answer;
  }

  /** Whether the error means that Temporal is busy: it is connected, and has answered other questions lately. */
  async isBusy(error: unknown): Promise<boolean> {
    if (!isTooLate(error) || performance.now() - this.#answeredAt > SILENT_MS) return false;
    const connection = await this.#connecting?.catch(() => undefined);
    // the SDK tries a call again while the server is gone, so such a call also ends by its deadline
    return Number(connection?.['client'].getChannel().getConnectivityState(false)) === READY;
  }

  get namespace(): string {
    return this.settings.temporal.namespace ?? DEFAULT_NAMESPACE;
  }

  async #attempt(timeout: number): Promise<Connection> {
    // a longer attempt would delay the end of a command that waits for a short time only
    const options = { ...this.settings.temporal.connectionOptions, connectTimeout: timeout };
    try {
      const connection = await connectTemporal(options);
      this.#answeredAt = performance.now();
      return connection;
    } catch (error) {
      this.#connecting = undefined;
      throw connectError(this.settings, error);
    }
  }
}
