import { openDatabase } from '../../src/service/database/open.ts';
import { addVersion, describeQueue } from './queue.ts';
import { onCleanup, temporaryFolder } from './support.ts';

describeQueue(
  'the queue of a service in SQLite',
  async () => {
    const database = openDatabase(temporaryFolder());
    onCleanup(() => database.close());
    await addVersion(database.sql);
    return database.sql;
  },
  1_000,
);
