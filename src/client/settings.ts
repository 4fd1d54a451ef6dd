import { CloudClient } from '../cloud/index.ts';

/** Where everything is: what a client, a worker and the command line are made with. */
export interface Settings {
  service: {
    /** Root address with /api/open/<version>. */
    url: string;
    key: string;
    keyHeader?: string | undefined;
    /** Requests a second. */
    rate?: number | undefined;
  };
  /** `sqlite:PATH` or `postgres://USER:PASSWORD@HOST:PORT/DATABASE`. */
  store: string;
  taskQueue: string;
  /** As Temporal's own TEMPORAL_* variables and profile file say. */
  temporal: TemporalSettings;
  /** Who the campaigns are said to belong to. */
  owner: string;
  /** Address of Temporal's Web UI. */
  webUi: string;
}

/** Where Temporal is and how it is reached, as its SDK takes it. */
export interface TemporalSettings {
  /** @default `default` */
  namespace?: string | undefined;
  connectionOptions: {
    /** `HOST:PORT`. @default `localhost:7233` */
    address?: string;
    /** A key of Temporal Cloud. */
    apiKey?: string;
    /** What is sent with each request. */
    metadata?: Record<string, string>;
    tls?: boolean | TemporalTls;
  };
}

/** TLS of a connection to Temporal; certificates and keys are the bytes of PEM files. */
export interface TemporalTls {
  serverNameOverride?: string;
  serverRootCACertificate?: Uint8Array;
  clientCertPair?: { crt: Uint8Array; key: Uint8Array };
}

/** Requests by a person at a command line are tried this often; inside a worker Temporal tries again. */
const ATTEMPTS_OF_A_PERSON = 3;

export function cloudClient({ service }: Pick<Settings, 'service'>, by: 'person' | 'worker'): CloudClient {
  return new CloudClient({ ...service, attempts: by === 'person' ? ATTEMPTS_OF_A_PERSON : 1 });
}
