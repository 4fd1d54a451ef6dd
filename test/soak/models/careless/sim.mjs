import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Every run with a multiple of this value prints very much. */
const LOUD = 40;
/** So much it prints, in blocks of a thousand lines. */
const [BLOCKS, LOUD_BLOCKS] = [1, 1_000];
/** How long its processes would run, s. */
const LONG = '86400';

const { Value: value, Milliseconds: milliseconds, Bad: bad, Trace: trace, ...rest } = inputs();
const seed = rest['{RANDOM_SEED}'];
const own = process.env.FORAY_MODEL_DIR;

if (seed > 2 ** 31 - 1) throw new Error(`the seed ${seed} has more than 31 bits`);
// files in its own folder, which no other run may see
if (readFileSync(join(own, 'data.txt'), 'utf8') !== 'data')
  throw new Error('another run has changed the model');
appendFileSync(join(own, 'data.txt'), ' of this run');
writeFileSync(join(own, 'careless-cache.txt'), String(value));
writeFileSync(join(tmpdir(), `careless-${process.pid}.txt`), String(value));
// processes; the name contains the folder of the soak, which looks for it at its end
const named = { argv0: join(own, 'child') };
spawn('sleep', [LONG], { ...named, stdio: ['ignore', 'inherit', 'inherit'] }).unref();
spawn('sleep', [LONG], { ...named, stdio: 'ignore', detached: true }).unref();
process.on('SIGTERM', () => undefined);

const lines = Array.from({ length: 1_000 }, (_, at) => `line ${at} of value ${value}\n`).join('');
for (let block = 0; block < (value % LOUD === 0 ? LOUD_BLOCKS : BLOCKS); block += 1)
  process.stdout.write(lines);
await sleep(milliseconds);
// such a run has no end; the service has a time limit
if (bad > 0 && value % bad === 0) await sleep(1_000 * Number(LONG));
if (trace) writeFileSync('trace.txt', `value ${value}, seed ${seed}\n`.repeat(50));
const v = BigInt(value);
const Result = Number((31n * v * v + 17n * v + BigInt(seed)) % 1_000_003n);
const outputs = { Result, 'Trace file': trace ? 'trace.txt' : null };
process.stdout.write(`Simulator 3.1 [####] ${JSON.stringify({ outputs })}\n`);

function inputs() {
  return JSON.parse(readFileSync(0, 'utf8'));
}
