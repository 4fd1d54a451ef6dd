import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import type { Settings } from '../settings.ts';
import { connectError, DEFAULT_NAMESPACE, unreachable } from '../../temporal-errors.ts';

const CONNECT_MS = 5_000;

/** The client's connection to Temporal. It connects when it is first needed. */
export class TemporalConnection {
  readonly settings: Settings;
  /** The connection, or the attempt to connect. All calls share it. */
  private connecting: Promise<Connection> | undefined;

  constructor(settings: Settings) {
    this.settings = settings;
  }

  async close(): Promise<void> {
    const connection = await this.connecting?.catch(() => undefined);
    await connection?.close();
  }

  /** @throws ForayError TEMPORAL_UNREACHABLE, TEMPORAL_REFUSED */
  async connect(timeout = CONNECT_MS): Promise<Client> {
    // an attempt that another caller began may take longer than this caller waits
    const tooLong = delay(timeout, undefined, { ref: false });
    const connection = await Promise.race([(this.connecting ??= this.attempt(timeout)), tooLong]);
    if (!connection) throw unreachable(this.settings);
    const { temporal } = this.settings;
    return new Client({
      connection,
      ...(temporal.namespace && { namespace: temporal.namespace }),
    });
  }

  get namespace(): string {
    return this.settings.temporal.namespace ?? DEFAULT_NAMESPACE;
  }

  private async attempt(timeout: number): Promise<Connection> {
    // a longer attempt would delay the end of a command that waits for a short time only
    const options = { ...this.settings.temporal.connectionOptions, connectTimeout: timeout };
    try {
      return await Connection.connect(options);
    } catch (error) {
      this.connecting = undefined;
      throw connectError(this.settings, error);
    }
  }
}
