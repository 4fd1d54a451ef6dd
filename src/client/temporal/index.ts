import type { DataConverter } from '@temporalio/common';
import type { Settings } from '../settings.ts';
import type * as calls from './calls.ts';
import type { Change } from './change.ts';
import type { TemporalConnection } from './connection.ts';
import { DEFAULT_NAMESPACE } from '../../temporal-errors.ts';

export type { Change };

type Calls = Omit<typeof calls, 'TemporalConnection'>;

/** The arguments of a call after the connection. */
type Given<Call> = Call extends (connection: TemporalConnection, ...given: infer All) => unknown
  ? All
  : never;

/** What a call resolves to. */
type Answer<Call> = Call extends (...all: never) => Promise<infer Resolved> ? Resolved : never;

/**
 * The client's calls to Temporal. Loading the SDK takes a third of a second and many commands need only the store, so
 * the SDK is loaded at the first call.
 */
export class Temporal {
  readonly #settings: Settings;
  readonly #converter: DataConverter;
  #connection: TemporalConnection | undefined;

  constructor(settings: Settings, converter: DataConverter = {}) {
    this.#settings = settings;
    this.#converter = converter;
  }

  async close(): Promise<void> {
    await this.#connection?.close();
  }

  /** Loads the SDK before the first call. */
  async load(): Promise<void> {
    await import('./calls.ts');
  }

  /** @throws ForayError TEMPORAL_UNREACHABLE, TEMPORAL_REFUSED */
  async reach(): Promise<void> {
    await this.#connected(await import('./calls.ts')).connect();
  }

  pageOf(id: string, runId?: string): string {
    const { temporal, webUi } = this.#settings;
    const base = `${webUi.replace(/\/$/, '')}/namespaces/${temporal.namespace ?? DEFAULT_NAMESPACE}/workflows/${id}`;
    return runId ? `${base}/${runId}/history` : base;
  }

  /** Makes one of the calls of calls.ts. Each gets the connection before the given arguments. */
  async call<Name extends keyof Calls>(
    name: Name,
    ...given: Given<Calls[Name]>
  ): Promise<Answer<Calls[Name]>> {
    const calls = await import('./calls.ts');
    const call = calls[name] as unknown as (
      connection: TemporalConnection,
      ...all: Given<Calls[Name]>
    ) => Promise<Answer<Calls[Name]>>;
    return call(this.#connected(calls), ...given);
  }

  #connected({ TemporalConnection }: typeof calls): TemporalConnection {
    return (this.#connection ??= new TemporalConnection(this.#settings, this.#converter));
  }
}
