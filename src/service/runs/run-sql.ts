import type { DatabaseSync } from 'node:sqlite';

const NAMES = [
  'seq',
  'id',
  'version_id',
  'experiment_type',
  'inputs',
  'types',
  'status',
  'failure',
  'tasks',
  'tasks_left',
];
const COLUMNS = NAMES.join(', ');
const RUN_COLUMNS = NAMES.map((name) => `runs.${name}`).join(', ');

/** A run that was only a part of experiments, and is now part of none. */
const IS_LOOSE = `tasks IS NULL AND direct = 0 AND NOT EXISTS (SELECT 1 FROM sub_runs WHERE run_seq = runs.seq)`;

/** The statements of the repository of runs. */
export function prepareStatements(db: DatabaseSync) {
  return {
    insert: db.prepare(
      `INSERT INTO runs
         (id, version_id, experiment_type, identity, inputs, types, direct, tasks, tasks_left, status, requested_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'FRESH', ?)
       ON CONFLICT (identity) WHERE status IN ('FRESH', 'RUNNING', 'COMPLETED') DO NOTHING RETURNING ${COLUMNS}`,
    ),
    want: db.prepare('UPDATE runs SET direct = 1 WHERE seq = ? AND direct = 0'),
    newest: db.prepare(`SELECT ${COLUMNS} FROM runs WHERE identity = ? ORDER BY seq DESC LIMIT 1`),
    byId: db.prepare(`SELECT ${COLUMNS} FROM runs WHERE id = ?`),
    nextFresh: db.prepare(
      `SELECT ${COLUMNS} FROM runs
       WHERE status = 'FRESH' AND tasks IS NULL AND version_id NOT IN (SELECT value FROM json_each(?))
       ORDER BY seq LIMIT 1`,
    ),
    start: db.prepare(
      `UPDATE runs SET status = 'RUNNING', executions = executions + (tasks IS NULL), started_at = ?
       WHERE seq = ?`,
    ),
    finish: db.prepare('UPDATE runs SET status = ?, failure = ?, finished_at = ? WHERE seq = ?'),
    requeue: db.prepare(`UPDATE runs SET status = 'FRESH', started_at = NULL WHERE seq = ?`),
    counts: db.prepare(
      `SELECT (SELECT count(*) FROM runs WHERE status = 'FRESH' AND tasks IS NULL) AS fresh,
         (SELECT count(*) FROM runs WHERE status = 'RUNNING' AND tasks IS NULL) AS running`,
    ),
    uncount: db.prepare('UPDATE runs SET executions = executions - 1 WHERE seq = ?'),
    running: db.prepare(
      `SELECT ${COLUMNS} FROM runs WHERE status = 'RUNNING' AND tasks IS NULL ORDER BY seq`,
    ),
    animated: db.prepare(
      `SELECT id FROM runs WHERE status = 'RUNNING' AND experiment_type = 'ANIMATION_SVG'`,
    ),
    keep: db.prepare('INSERT INTO results (run_seq, outputs) VALUES (?, ?)'),
    outputs: db.prepare('SELECT outputs FROM results WHERE run_seq = ?'),

    addSubRuns: db.prepare(
      'INSERT INTO sub_runs (parent_seq, position, run_seq) SELECT ?, key, value FROM json_each(?)',
    ),
    lostParts: db.prepare(
      `SELECT key AS position FROM json_each(?) LEFT JOIN runs ON seq = value
       WHERE status IS NULL OR status IN ('FAILED', 'STOPPED')`,
    ),
    progress: db.prepare(
      `SELECT sum(status <> 'COMPLETED') AS left, sum(status = 'FRESH') AS fresh
       FROM sub_runs JOIN runs ON runs.seq = run_seq WHERE parent_seq = ?`,
    ),
    dropParts: db.prepare(
      `DELETE FROM runs WHERE seq IN (SELECT value FROM json_each(?)) AND status = 'FRESH' AND ${IS_LOOSE}`,
    ),
    dropAllParts: db.prepare(`DELETE FROM runs WHERE status IN ('FRESH', 'RUNNING') AND ${IS_LOOSE}`),
    setLeft: db.prepare('UPDATE runs SET tasks_left = ? WHERE seq = ?'),
    parents: db.prepare(
      `SELECT ${RUN_COLUMNS}, count(*) AS times, min(position) AS position
       FROM sub_runs JOIN runs ON runs.seq = parent_seq
       WHERE run_seq = ? AND status IN ('FRESH', 'RUNNING') GROUP BY parent_seq`,
    ),
    unwanted: db.prepare(
      `SELECT DISTINCT runs.id, runs.seq, runs.status FROM sub_runs JOIN runs ON runs.seq = run_seq
       WHERE parent_seq = ? AND status IN ('FRESH', 'RUNNING') AND direct = 0 AND NOT EXISTS (
         SELECT 1 FROM sub_runs AS other JOIN runs AS parent ON parent.seq = other.parent_seq
         WHERE other.run_seq = runs.seq AND parent.status IN ('FRESH', 'RUNNING')
       )`,
    ),
    addLog: db.prepare('INSERT INTO run_logs (run_seq, log) VALUES (?, ?)'),
    dropLogs: db.prepare('DELETE FROM run_logs WHERE number <= ?'),
    log: db.prepare(
      `SELECT log FROM run_logs
       WHERE run_seq = ? OR run_seq IN (SELECT run_seq FROM sub_runs WHERE parent_seq = ?) ORDER BY number LIMIT 1`,
    ),
    stopAll: db.prepare(
      `UPDATE runs SET status = 'STOPPED', finished_at = ? WHERE seq IN (SELECT value FROM json_each(?))`,
    ),
    subRuns: db.prepare(
      `SELECT id, status, failure FROM sub_runs JOIN runs ON runs.seq = run_seq
       WHERE parent_seq = ? ORDER BY position`,
    ),
    // CROSS JOIN keeps the order: the few that run first
    runningSubRuns: db.prepare(
      `SELECT id FROM runs CROSS JOIN sub_runs ON run_seq = runs.seq
       WHERE status = 'RUNNING' AND tasks IS NULL AND parent_seq = ?`,
    ),
    subOutputs: db.prepare(
      `SELECT outputs FROM sub_runs JOIN results USING (run_seq) WHERE parent_seq = ? ORDER BY position`,
    ),
  };
}
