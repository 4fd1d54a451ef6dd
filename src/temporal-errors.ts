import { ForayError, messageOf } from './errors.ts';

const GRPC_UNKNOWN = 2;
const GRPC_DEADLINE_EXCEEDED = 4;
const GRPC_NOT_FOUND = 5;
const GRPC_UNAVAILABLE = 14;
/** The address that the SDK uses when the settings have none. */
const DEFAULT_ADDRESS = 'localhost:7233';
/** The namespace that the SDK uses when the settings have none. */
export const DEFAULT_NAMESPACE = 'default';

const CERTIFICATE_HINT =
  "The server's certificate must be valid for the host name. If its authority is not a public one, name the file with the certificate of the authority in TEMPORAL_TLS_SERVER_CA_CERT_PATH.";

/** The beginning of the SDK's message about a payload that its own converter did not write. */
const UNKNOWN_ENCODING = 'Unknown encoding: ';

/** The settings that name a Temporal server. */
interface Named {
  temporal: {
    connectionOptions: { address?: string | undefined; tls?: unknown };
    namespace?: string | undefined;
  };
}

interface GrpcError {
  code: number;
  details: string;
  message?: string;
}

/** Finds the gRPC error in an error of the SDK. The SDK may wrap the gRPC error in other errors. */
export function grpcErrorIn(error: unknown): GrpcError | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && 'details' in error) return error as GrpcError;
  return 'cause' in error ? grpcErrorIn(error.cause) : undefined;
}

/**
 * The texts with which the native connection of a worker describes GRPC_UNAVAILABLE, GRPC_DEADLINE_EXCEEDED, and a
 * connection that broke.
 */
const NATIVE_ABSENCES = [
  'The service is currently unavailable',
  'Deadline expired before operation could complete',
  'Unknown error',
];

/** Finds the gRPC error in the text of a failed native connection, which has no field for it. */
function nativeErrorIn(error: unknown): GrpcError | undefined {
  const found = /: code: '([^']*)'(?:, message: "((?:[^"\\]|\\.)*)")?/.exec(messageOf(error));
  if (!found) return undefined;
  const [, code = '', details = code] = found;
  return { code: NATIVE_ABSENCES.includes(code) ? GRPC_UNAVAILABLE : GRPC_UNKNOWN, details };
}

/**
 * Converts an error of the SDK into a ForayError when Temporal cannot be reached or refuses the request, and when its
 * payloads need a codec. Other errors stay as they are.
 */
export function translated(settings: Named, error: unknown): unknown {
  if (messageOf(error).startsWith(UNKNOWN_ENCODING)) {
    return new ForayError(
      'CODEC_UNUSABLE',
      `FORAY_PAYLOAD_CODEC names no codec that can read what Temporal keeps (${messageOf(error)}).`,
      { hint: 'Set it as for the workers.' },
    );
  }
  const grpc = grpcErrorIn(error);
  if (!grpc) return error;
  return isAbsence(grpc.code) ? unreachable(settings) : refused(settings, grpc);
}

/**
 * The error of an attempt to connect to Temporal.
 *
 * @param hint - what to do when the server cannot be reached
 */
export function connectError(settings: Named, error: unknown, hint?: string): ForayError {
  if (messageOf(error).includes('InvalidCertificate')) {
    const { address = DEFAULT_ADDRESS } = settings.temporal.connectionOptions;
    return new ForayError(
      'TEMPORAL_UNREACHABLE',
      `The certificate of the Temporal server at ${address} is refused.`,
      { hint: CERTIFICATE_HINT },
    );
  }
  const grpc = grpcErrorIn(error) ?? nativeErrorIn(error);
  return grpc && !isAbsence(grpc.code) ? refused(settings, grpc) : unreachable(settings, hint);
}

/** Whether a gRPC error says that the server did not answer. */
function isAbsence(code: number): boolean {
  return code === GRPC_UNAVAILABLE || code === GRPC_DEADLINE_EXCEEDED;
}

/** Whether a call asked for a thing that is not there. */
export function isNotFound(error: unknown): boolean {
  return grpcErrorIn(error)?.code === GRPC_NOT_FOUND;
}

/** Whether a call ended by its deadline. */
export function isTooLate(error: unknown): boolean {
  return grpcErrorIn(error)?.code === GRPC_DEADLINE_EXCEEDED;
}

function refused({ temporal }: Named, { details, message }: GrpcError): ForayError {
  const { connectionOptions, namespace = DEFAULT_NAMESPACE } = temporal;
  // a native connection has the reason only in the message
  const why = (details || message || 'no reason given').replace(/\.$/, '');
  return new ForayError(
    'TEMPORAL_REFUSED',
    `The Temporal server at ${connectionOptions.address ?? DEFAULT_ADDRESS} refuses the request (namespace "${namespace}"): ${why}.`,
    { hint: 'Check the TEMPORAL_* variables.' },
  );
}

export function unreachable(
  { temporal }: Named,
  hint = 'Start one with "foray dev", or set TEMPORAL_ADDRESS.',
): ForayError {
  const { address = DEFAULT_ADDRESS, tls } = temporal.connectionOptions;
  return new ForayError('TEMPORAL_UNREACHABLE', `The Temporal server at ${address} cannot be reached.`, {
    // a server that refuses a certificate closes the connection, and gives no reason; if the client refuses the
    // certificate of the server, the SDK gives no reason either
    hint: tls
      ? `Check its address, and the certificates in the TEMPORAL_TLS_* variables, if any. ${CERTIFICATE_HINT} ${hint}`
      : hint,
  });
}
