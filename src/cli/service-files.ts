import type { S3Place } from '../service/files/open.ts';

/** The bucket at an address, and its key. The key is removed from the environment, because models inherit it. */
export async function s3At(address: string): Promise<S3Place> {
  const { readS3Address, takeS3Credentials } = await import('../service/files/s3-address.ts');
  return { bucket: readS3Address(address), credentials: takeS3Credentials(process.env) };
}
