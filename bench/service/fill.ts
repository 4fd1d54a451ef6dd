import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * Fills the database of a stopped service with completed runs: copies of one of its runs, each with its own identity.
 */
export function fill(dataDir: string, runs: number): void {
  const db = new DatabaseSync(join(dataDir, 'service.db'));
  const columns = (db.prepare('PRAGMA table_info(runs)').all() as { name: string }[]).map(({ name }) => name);
  const rest = columns.filter((name) => !['seq', 'id', 'identity'].includes(name)).join(', ');
  db.exec(`
    BEGIN;
    CREATE TEMP TABLE one AS SELECT * FROM runs WHERE status = 'COMPLETED' LIMIT 1;
    WITH RECURSIVE count (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM count WHERE n < ${runs})
      INSERT INTO runs (seq, id, identity, ${rest})
      SELECT 1000 + n, lower(hex(randomblob(16))), lower(hex(randomblob(32))), ${rest} FROM count, one;
    INSERT INTO results (run_seq, outputs)
      SELECT runs.seq, results.outputs FROM runs, one JOIN results ON results.run_seq = one.seq WHERE runs.seq > 1000;
    COMMIT;`);
  db.close();
}
