import { ForayError } from '../../errors.ts';

export interface S3Bucket {
  /** The address of the bucket, in path style. */
  url: string;
  region: string;
}

/** The key of a user of the store. The secret is never part of an address, an error or a log. */
export interface S3Credentials {
  accessKeyId: string;
  secretAccessKey: string;
}

/**
 * Reads `s3://BUCKET?endpoint=URL&region=REGION`. The default region is `us-east-1`, and the default endpoint is the
 * endpoint of AWS.
 *
 * @throws ForayError USAGE, without the address, because it may contain a key by mistake
 */
export function readS3Address(text: string): S3Bucket {
  const url = URL.parse(text);
  if (
    url?.protocol !== 's3:' ||
    !/^[a-z0-9][a-z0-9.-]+$/.test(url.host) ||
    !['', '/'].includes(url.pathname)
  ) {
    throw misread('it names no bucket');
  }
  if (url.username || url.password) throw misread('it contains a key');
  for (const name of url.searchParams.keys()) {
    if (!['endpoint', 'region'].includes(name))
      throw misread('it may have only endpoint and region after the "?"');
  }
  const region = url.searchParams.get('region') || 'us-east-1';
  const endpoint = URL.parse(url.searchParams.get('endpoint') || `https://s3.${region}.amazonaws.com`);
  if (!endpoint || !/^https?:$/.test(endpoint.protocol))
    throw misread('its endpoint is no address with http or https');
  if (endpoint.username || endpoint.password || endpoint.search || endpoint.hash) {
    throw misread('its endpoint has more than a host, a port and a path');
  }
  return { url: `${endpoint.origin}${endpoint.pathname.replace(/\/$/, '')}/${url.host}`, region };
}

/**
 * Takes the key of the store from an environment. The environment no longer has the key, so child processes do not get
 * it.
 *
 * @throws ForayError USAGE
 */
export function takeS3Credentials(env: NodeJS.ProcessEnv): S3Credentials {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (accessKeyId && secretAccessKey) {
    delete env.AWS_ACCESS_KEY_ID;
    delete env.AWS_SECRET_ACCESS_KEY;
    return { accessKeyId, secretAccessKey };
  }
  throw new ForayError('USAGE', '--files needs the key of the store, and the environment does not have it.', {
    hint: 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
  });
}

function misread(why: string): ForayError {
  return new ForayError('USAGE', `The address in --files is not valid: ${why}.`, {
    hint: 'Write it as s3://BUCKET?endpoint=URL&region=REGION, and the key in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
  });
}
