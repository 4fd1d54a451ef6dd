import type { Dialect } from '../database/database.ts';
import { statesBefore } from './states.ts';

const NAMES = [
  'seq',
  'id',
  'version_id',
  'experiment_type',
  'inputs',
  'types',
  'direct',
  'status',
  'failure',
  'tasks',
  'tasks_left',
];
const COLUMNS = NAMES.join(', ');
const RUN_COLUMNS = NAMES.map((name) => `runs.${name}`).join(', ');

/** A single run that was added as a part of an experiment, and that belongs to no experiment. */
const IS_LOOSE = `tasks IS NULL AND direct = 0 AND NOT EXISTS (SELECT 1 FROM sub_runs WHERE run_seq = runs.seq)`;

const single = { hasSubRuns: false };
const multiple = { hasSubRuns: true };

/**
 * The statements of the repository of runs, for SQLite and PostgreSQL. A statement that changes the status of a run
 * names the states that it may change: if two statements change one run at the same time, one of them finds nothing to
 * change. `claim`, `begin` and `setProgress` name no states, because their transaction has selected or added the runs.
 */
export function runStatements({ list, skipLocked, forShare, forUpdate, isConnected }: Dialect) {
  // the elements of a JSON array, which is the value of one `?`
  const texts = `(SELECT value FROM ${list} AS given)`;
  const numbers = `(SELECT CAST(value AS BIGINT) FROM ${list} AS given)`;
  return {
    // the states are literals, so that the database uses the partial index
    insert: (runs: number) => `INSERT INTO runs
         (id, version_id, experiment_type, identity, inputs, types, direct, tasks, tasks_left, requested_at, status)
       VALUES ${times(runs, `(${times(10, '?')}, 'FRESH')`)}
       ON CONFLICT (identity) WHERE status IN ('FRESH', 'RUNNING', 'COMPLETED') DO NOTHING RETURNING ${COLUMNS}`,
    noteDirect: `UPDATE runs SET direct = 1 WHERE seq = ? AND status IN ('FRESH', 'RUNNING', 'COMPLETED') RETURNING id`,
    newest: `SELECT ${COLUMNS} FROM runs WHERE identity = ? ORDER BY seq DESC LIMIT 1`,
    /**
     * All runs of some identities, with the newest run of each last. The order is the order of the index, so that
     * PostgreSQL uses it.
     */
    ofIdentities: (identities: number) =>
      `SELECT ${COLUMNS}, identity FROM runs WHERE identity IN ${marks(identities)} ORDER BY identity, seq`,
    byId: `SELECT ${COLUMNS} FROM runs WHERE id = ?`,
    counts: `SELECT (SELECT count(*) FROM runs WHERE status = 'FRESH' AND tasks IS NULL) AS fresh,
         (SELECT count(*) FROM runs WHERE status = 'RUNNING' AND tasks IS NULL) AS running`,
    countFresh: (most: number) =>
      `SELECT count(*) AS fresh FROM (SELECT 1 FROM runs WHERE status = 'FRESH' AND tasks IS NULL LIMIT ${most}) AS first`,
    outputs: 'SELECT outputs FROM results WHERE run_seq = ?',

    openHolder: `INSERT INTO holders (id, name, opened_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`,
    isOpen: `SELECT 1 FROM holders WHERE id = ? AND closed_at IS NULL ${forShare}`,
    /** An unknown holder is added as a closed one, so that it never claims. */
    closeHolder: `INSERT INTO holders (id, name, opened_at, closed_at) VALUES (?, ?, ?, ?)
       ON CONFLICT (id) DO UPDATE SET closed_at = excluded.closed_at WHERE holders.closed_at IS NULL`,
    openHolders: 'SELECT id FROM holders WHERE closed_at IS NULL AND name <> ?',
    /** The open holders with a name. Undefined for a database of one service. */
    services:
      isConnected &&
      `SELECT id, ${isConnected('id')} AS connected, shares FROM holders LEFT JOIN progress ON service = id
       WHERE closed_at IS NULL AND name = ?`,
    forgetHolders: 'DELETE FROM holders WHERE closed_at < ?',
    notHeld: `SELECT value AS id FROM ${list} AS given
       WHERE NOT EXISTS (SELECT 1 FROM runs WHERE runs.id = value AND holder = ? AND status = 'RUNNING')`,
    closeNamed: 'UPDATE holders SET closed_at = ? WHERE name = ? AND closed_at IS NULL',
    /**
     * The first FRESH runs, for `claim` in the same transaction. The limit is a literal, because SQLite takes twice as
     * long with a parameter.
     */
    next: (
      most: number,
    ) => `SELECT ${COLUMNS} FROM runs WHERE status = 'FRESH' AND tasks IS NULL AND version_id NOT IN ${texts}
       ORDER BY seq LIMIT ${most} ${skipLocked}`,
    claim: (
      runs: number,
    ) => `UPDATE runs SET status = 'RUNNING', holder = ?, executions = executions + 1, started_at = ?
       WHERE seq IN ${marks(runs)}`,
    begin: `UPDATE runs SET status = 'RUNNING', holder = ?, executions = 1, started_at = ?
       WHERE id = ? RETURNING ${COLUMNS}`,
    startParents: (runs: number) => `UPDATE runs SET status = 'RUNNING', started_at = ?
       WHERE status IN ${statesBefore('RUNNING', multiple)} AND tasks IS NOT NULL
         AND seq IN (SELECT parent_seq FROM sub_runs WHERE run_seq IN ${marks(runs)}) RETURNING id`,
    complete: (runs: number) => `UPDATE runs SET status = 'COMPLETED', failure = NULL, finished_at = ?
       WHERE id IN ${marks(runs)} AND status IN ${statesBefore('COMPLETED', single)} AND tasks IS NULL RETURNING id, seq`,
    /** The number of the given runs in each experiment. */
    parentsOf: (runs: number) =>
      `SELECT parent_seq, count(*) AS runs FROM sub_runs WHERE run_seq IN ${marks(runs)} GROUP BY parent_seq`,
    completeParent: `UPDATE runs SET tasks_left = tasks_left - ?,
         status = CASE WHEN tasks_left = ? THEN 'COMPLETED' ELSE 'RUNNING' END,
         started_at = coalesce(started_at, ?), finished_at = CASE WHEN tasks_left = ? THEN ? END
       WHERE seq = ? AND status IN ${statesBefore('COMPLETED', multiple)} RETURNING id`,
    addResults: (runs: number) => `INSERT INTO results (run_seq, outputs) VALUES ${times(runs, marks(2))}`,
    fail: `UPDATE runs SET status = 'FAILED', failure = ?, finished_at = ?
       WHERE id = ? AND holder = ? AND status IN ${statesBefore('FAILED', single)} AND tasks IS NULL RETURNING ${COLUMNS}`,
    failParent: `UPDATE runs SET status = 'FAILED', failure = ?, finished_at = ?
       WHERE seq = ? AND status IN ${statesBefore('FAILED', multiple)} RETURNING id`,
    stop: `UPDATE runs SET status = 'STOPPED', failure = ?, finished_at = ?
       WHERE id = ? AND status IN ${statesBefore('STOPPED', multiple)} RETURNING ${COLUMNS}`,
    stopAll: `UPDATE runs SET status = 'STOPPED', finished_at = ?
       WHERE seq IN ${numbers} AND status IN ${statesBefore('STOPPED', single)} AND direct = 0 RETURNING id`,
    /** A waiting run has the reason in place of a failure, until it ends. */
    defer: `UPDATE runs SET status = 'FRESH', started_at = NULL, executions = executions - 1, failure = ?
       WHERE id = ? AND holder = ? AND status IN ${statesBefore('FRESH', single)} AND tasks IS NULL RETURNING id`,
    requeue: `UPDATE runs SET status = 'FRESH', started_at = NULL, losses = losses + ?
       WHERE id IN ${texts} AND status IN ${statesBefore('FRESH', single)} AND tasks IS NULL RETURNING id`,
    running: `SELECT id FROM runs WHERE id IN ${texts} AND status = 'RUNNING'`,
    /** RUNNING runs whose holder is not open, and RUNNING runs of one holder. */
    unheld: `SELECT id, experiment_type, holder FROM runs
       WHERE status = 'RUNNING' AND tasks IS NULL AND (
         holder = ? OR holder IS NULL OR NOT EXISTS (SELECT 1 FROM holders WHERE holders.id = holder AND closed_at IS NULL)
       ) ORDER BY seq`,
    losses: `SELECT id, experiment_type, losses FROM runs WHERE status = 'RUNNING' AND tasks IS NULL AND holder = ? ORDER BY seq`,

    addSubRuns: `INSERT INTO sub_runs (parent_seq, position, run_seq)
       SELECT CAST(? AS BIGINT), key, CAST(value AS BIGINT) FROM ${list} AS given`,
    /** The runs that are still live. They stay live until the transaction ends. */
    liveParts: `SELECT seq FROM runs
       WHERE seq IN ${numbers} AND status IN ('FRESH', 'RUNNING', 'COMPLETED') ${forShare}`,
    /**
     * After this statement, no other transaction makes these runs parts of an experiment. Its text is empty for a
     * database that has no other transactions.
     */
    lock: forUpdate && `SELECT seq FROM runs WHERE seq IN ${numbers} ORDER BY seq ${forUpdate}`,
    progress: `SELECT count(*) FILTER (WHERE status <> 'COMPLETED') AS unfinished,
         count(*) FILTER (WHERE status = 'FRESH') AS fresh
       FROM sub_runs JOIN runs ON runs.seq = run_seq WHERE parent_seq = ?`,
    setProgress: `UPDATE runs SET tasks_left = ?, status = ?, started_at = ?, finished_at = ? WHERE seq = ?
       RETURNING ${COLUMNS}`,
    dropParts: `DELETE FROM runs WHERE seq IN ${numbers} AND status = 'FRESH' AND ${IS_LOOSE}`,
    dropAllParts: `DELETE FROM runs WHERE status IN ('FRESH', 'RUNNING') AND ${IS_LOOSE}`,
    parents: `SELECT ${RUN_COLUMNS}, min(position) AS position
       FROM sub_runs JOIN runs ON runs.seq = parent_seq
       WHERE run_seq = ? AND status IN ('FRESH', 'RUNNING') GROUP BY runs.seq`,
    unwanted: `SELECT DISTINCT runs.seq FROM sub_runs JOIN runs ON runs.seq = run_seq
       WHERE parent_seq = ? AND status IN ('FRESH', 'RUNNING') AND direct = 0 AND NOT EXISTS (
         SELECT 1 FROM sub_runs AS other JOIN runs AS parent ON parent.seq = other.parent_seq
         WHERE other.run_seq = runs.seq AND parent.status IN ('FRESH', 'RUNNING')
       )`,
    addLog: 'INSERT INTO run_logs (run_seq, log) VALUES (?, ?) RETURNING number',
    dropLogs: 'DELETE FROM run_logs WHERE number <= ?',
    log: `SELECT log FROM run_logs
       WHERE run_seq = ? OR run_seq IN (SELECT run_seq FROM sub_runs WHERE parent_seq = ?) ORDER BY number LIMIT 1`,
    subRuns: `SELECT id, status, failure FROM sub_runs JOIN runs ON runs.seq = run_seq
       WHERE parent_seq = ? ORDER BY position`,
    // CROSS JOIN keeps the order, so that the few executing runs come first
    runningSubRuns: `SELECT id FROM runs CROSS JOIN sub_runs
       WHERE run_seq = runs.seq AND status = 'RUNNING' AND tasks IS NULL AND parent_seq = ?`,
    // the size in bytes is known without reading the text
    subOutputSizes: `SELECT position, octet_length(outputs) AS bytes FROM sub_runs JOIN results USING (run_seq)
       WHERE parent_seq = ? ORDER BY position`,
    subOutputs: `SELECT outputs FROM sub_runs JOIN results USING (run_seq)
       WHERE parent_seq = ? AND position BETWEEN ? AND ? ORDER BY position`,

    waitingVersions: `SELECT DISTINCT version_id FROM runs WHERE status = 'FRESH' AND tasks IS NULL`,
    unfinishedVersions: `SELECT version_id FROM runs WHERE status = 'FRESH' AND tasks IS NULL
       UNION SELECT version_id FROM runs WHERE status = 'RUNNING' AND tasks IS NULL`,
    lastSeq: 'SELECT coalesce(max(seq), 0) AS last FROM runs',
    countRuns: 'SELECT version_id, count(*) AS runs FROM runs WHERE seq > ? AND seq <= ? GROUP BY version_id',
  };
}

/** A list with this number of placeholders. */
function marks(values: number): string {
  return `(${times(values, '?')})`;
}

function times(count: number, text: string): string {
  return Array.from({ length: count }, () => text).join(', ');
}
