import { CloudError } from './errors.ts';

/**
 * Whether an error of got is a timeout. The name decides, because `instanceof` would need the classes of got, and only
 * the first request loads got.
 */
export function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError';
}

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'UNKNOWN';
}

/** Error codes that mean that no connection was made. */
const neverConnected = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ERR_INVALID_URL',
];
/** Error codes of a header that Node refuses to send, such as a key with a line break. */
const invalidHeader = ['ERR_INVALID_CHAR', 'ERR_INVALID_HTTP_TOKEN'];

/** Node's error codes for the certificate of a server. Codes such as ERR_SSL_… are other faults of TLS. */
const refusedCertificate =
  /^(CERT_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT|UNABLE_TO_VERIFY_LEAF|ERR_TLS_CERT_ALTNAME_INVALID)/;

/**
 * The error of a request without an answer. The message of an error of got contains the whole address, so we use only
 * its code.
 */
export function connectionError(root: string, error: unknown): CloudError {
  if (isTimeout(error))
    return new CloudError('timeout', `The model service at ${new URL(root).origin} does not answer in time.`);
  const code = codeOf(error);
  if (invalidHeader.includes(code)) {
    return new CloudError('unauthorized', 'HTTP does not allow this API key or this name of its header.', {
      mayHaveArrived: false,
    });
  }
  if (refusedCertificate.test(code)) {
    return new CloudError(
      'unreachable',
      `The certificate of the model service at ${new URL(root).origin} is refused (${code}).`,
      {
        mayHaveArrived: false,
        hint: 'Check the host name in the address and the dates of the certificate. If its authority is not a public one, name the file with the certificate of the authority in NODE_EXTRA_CA_CERTS.',
      },
    );
  }
  return new CloudError(
    'unreachable',
    URL.canParse(root)
      ? `The model service at ${new URL(root).origin} cannot be reached (${code}).`
      : 'The address of the model service is not a valid URL.',
    { mayHaveArrived: !neverConnected.includes(code) },
  );
}
