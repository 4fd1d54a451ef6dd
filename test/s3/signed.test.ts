import { afterAll, beforeAll } from '@jest/globals';
import { ContentFiles } from '../../src/service/files/content.ts';
import { S3Store } from '../../src/service/files/s3-store.ts';
import { Problems } from '../../src/service/problems.ts';
import { signedSuite } from '../service/signed-suite.ts';
import { temporaryFolder } from '../service/support.ts';
import { type S3Server, startS3 } from '../support/s3.ts';

/** The pre-signed addresses of an S3-compatible store. */

let server: S3Server;
let other: S3Server;

beforeAll(async () => {
  [server, other] = await Promise.all([startS3(), startS3('another-s3cret')]);
});
afterAll(async () => {
  await server.remove();
  await other.remove();
});

signedSuite(() => {
  const clock = { ahead: 0 };
  const storeIn = ({ place }: S3Server): S3Store => {
    const local = new ContentFiles(temporaryFolder());
    local.prepare();
    const now = () => Date.now() + clock.ahead;
    return new S3Store({ ...place, local, now, problems: new Problems(now, () => {}) });
  };
  const place = { content: storeIn(server), root: '', clock };
  return Promise.resolve({ ...place, stranger: { content: storeIn(other), root: '' } });
});
