import { Client, Connection } from '@temporalio/client';
import type { Settings } from '../settings.ts';
import { DEFAULT_NAMESPACE, unreachable } from './errors.ts';

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

  /** @throws ForayError TEMPORAL_UNREACHABLE */
  async connect(timeout = CONNECT_MS): Promise<Client> {
    const { temporal } = this.settings;
    const connecting = (this.connecting ??= Connection.connect({
      ...temporal.connectionOptions,
      connectTimeout: timeout,
    }));
    const connection = await connecting.catch(() => {
      if (this.connecting === connecting) this.connecting = undefined;
      throw unreachable(this.settings);
    });
    return new Client({
      connection,
      ...(temporal.namespace && { namespace: temporal.namespace }),
    });
  }

  get namespace(): string {
    return this.settings.temporal.namespace ?? DEFAULT_NAMESPACE;
  }
}
