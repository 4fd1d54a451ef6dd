import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { documentOf, isMet, type Part, textOf } from '../report.ts';
import { type Lab, type Row, startLab } from './lab.ts';
import { drained } from './parts/drained.ts';
import { idle } from './parts/idle.ts';
import { lanes } from './parts/lanes.ts';
import { takenOver } from './parts/taken-over.ts';
import { throughput } from './parts/throughput.ts';

const parts: Record<string, (lab: Lab, given: Given) => Promise<Part<Row>>> = {
  throughput: (lab, { runs }) => throughput(lab, Number(runs)),
  idle: (lab, { idle: seconds }) => idle(lab, Number(seconds)),
  drain: (lab) => drained(lab),
  takeover: (lab, { kills }) => takenOver(lab, Number(kills)),
  // this part is the last one, because it leaves runs that would delay the other parts
  lanes: (lab, { lanes: count, seconds }) => lanes(lab, Number(count), Number(seconds)),
};

interface Given {
  runs: string;
  kills: string;
  idle: string;
  lanes: string;
  seconds: string;
}

/**
 * Measures executors that connect to a service like executors on other machines, in five parts: the throughput, the
 * cost of idle executors, the end of an executor by SIGTERM, the loss of an executor, and many executors in a few
 * processes. The default is one service on SQLite. `--postgres` uses two replicas on PostgreSQL.
 */
export async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      runs: { type: 'string', default: '20000' },
      kills: { type: 'string', default: '20' },
      idle: { type: 'string', default: '60' },
      lanes: { type: 'string', default: '200' },
      seconds: { type: 'string', default: '60' },
      only: { type: 'string', default: Object.keys(parts).join() },
      postgres: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'foray-bench-'));
  const processes: { end(): Promise<void> }[] = [];
  try {
    const lab = await startLab(folder, processes, { isShared: values.postgres });
    const measured: Part<Row>[] = [];
    for (const name of values.only.split(',')) {
      const part = await parts[name]!(lab, values);
      measured.push(part);
      if (!values.json) console.log(textOf(part));
    }
    if (values.json) console.log(JSON.stringify({ parts: measured.map(documentOf) }, undefined, 2));
    return measured.every(({ goals }) => goals.every(isMet));
  } finally {
    for (const each of processes.toReversed()) await each.end();
    rmSync(folder, { recursive: true, force: true });
  }
}
