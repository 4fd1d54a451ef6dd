import { CloudClient } from '../cloud/index.ts';

/**
 * The settings of a client, a worker and the command line: the addresses of the service, the store and Temporal, and
 * the keys.
 */
export interface Settings {
  service: {
    /** The root address of the service, including /api/open/<version>. */
    url: string;
    key: string;
    keyHeader?: string | undefined;
    /** Maximum number of requests per second. */
    rate?: number | undefined;
  };
  /** `sqlite:PATH` or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. */
  store: string;
  taskQueue: string;
  /** The connection, from Temporal's TEMPORAL_* variables and its profile file. */
  temporal: TemporalSettings;
  /** The owner that campaigns get. */
  owner: string;
  /** Address of Temporal's Web UI. */
  webUi: string;
  /** Address of foray's own page, if it is known. */
  page?: string | undefined;
  /** The names of the notices of new campaigns whose definition has no `notify`. @default none */
  notify?: string[] | undefined;
}

/** How to connect to Temporal, in the form that its SDK takes. */
export interface TemporalSettings {
  /** @default `default` */
  namespace?: string | undefined;
  connectionOptions: {
    /** `HOST:PORT`. @default `localhost:7233` */
    address?: string;
    /** A key of Temporal Cloud. */
    apiKey?: string;
    /** Headers of each request. */
    metadata?: Record<string, string>;
    tls?: boolean | TemporalTls;
  };
  /**
   * The module with the codecs of payloads, which all processes need: a path, or the name of a package. It exports a
   * `PayloadCodec` of Temporal's SDK or a list of them, by default or as `codecs`.
   * @default payloads are plain text
   */
  payloadCodec?: string | undefined;
}

/** TLS of a connection to Temporal; certificates and keys are the bytes of PEM files. */
export interface TemporalTls {
  serverNameOverride?: string;
  serverRootCACertificate?: Uint8Array;
  clientCertPair?: { crt: Uint8Array; key: Uint8Array };
}

/**
 * How many times a client that is not a worker tries a request. A worker tries once, because Temporal repeats attempts.
 */
const ATTEMPTS_OF_A_PERSON = 3;

/** @param onSilence - called once, with the origin of the service, when it has not answered for a few seconds */
export function cloudClient(
  { service }: Pick<Settings, 'service'>,
  by: 'person' | 'worker',
  onSilence?: (service: string) => void,
): CloudClient {
  return new CloudClient({ ...service, attempts: by === 'person' ? ATTEMPTS_OF_A_PERSON : 1, onSilence });
}
