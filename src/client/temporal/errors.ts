import { ForayError } from '../../errors.ts';
import type { Settings } from '../settings.ts';

const GRPC_DEADLINE_EXCEEDED = 4;
const GRPC_UNAVAILABLE = 14;
/** The address that the SDK uses when the settings have none. */
const DEFAULT_ADDRESS = 'localhost:7233';
/** The namespace that the SDK uses when the settings have none. */
export const DEFAULT_NAMESPACE = 'default';

/** Finds the gRPC error in an error of the SDK. The SDK may wrap the gRPC error in other errors. */
export function grpcErrorIn(error: unknown): { code: number; details: string; message?: string } | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && 'details' in error) return error as { code: number; details: string };
  return 'cause' in error ? grpcErrorIn(error.cause) : undefined;
}

/**
 * Converts an error of the SDK into a ForayError when Temporal cannot be reached or refuses the request. Other errors
 * stay as they are.
 */
export function translated(settings: Settings, error: unknown): unknown {
  const grpc = grpcErrorIn(error);
  if (!grpc) return error;
  if (isAbsence(grpc.code)) return unreachable(settings);
  const { connectionOptions, namespace = DEFAULT_NAMESPACE } = settings.temporal;
  return new ForayError(
    'TEMPORAL_REFUSED',
    `The Temporal server at ${connectionOptions.address ?? DEFAULT_ADDRESS} refuses the request (namespace "${namespace}"): ${grpc.details}.`,
    { hint: 'Check the TEMPORAL_* variables.' },
  );
}

/** Whether a gRPC error says that the server did not answer. */
function isAbsence(code: number): boolean {
  return code === GRPC_UNAVAILABLE || code === GRPC_DEADLINE_EXCEEDED;
}

export function unreachable({ temporal }: Settings): ForayError {
  const address = temporal.connectionOptions.address ?? DEFAULT_ADDRESS;
  return new ForayError('TEMPORAL_UNREACHABLE', `The Temporal server at ${address} cannot be reached.`, {
    hint: 'Start one with "foray dev", or set TEMPORAL_ADDRESS.',
  });
}
