import os from 'node:os';
import { resolve } from 'node:path';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { endWithParent, tellReady } from '../dev/lifeline.ts';
import { ForayError } from '../errors.ts';
import { serviceRoot, temporalSettings, variables } from '../settings/settings.ts';
import { endTracing } from '../tracing.ts';
import { serveWithoutOutput } from './lost-output.ts';
import { tell } from './output.ts';
import { healthOption, logAsAsked, logOption, wholeNumber } from './setting-options.ts';
import { untilSignalled } from './signals.ts';

interface Flags {
  serviceUrl?: string;
  key?: string;
  temporal?: string;
  slots: number;
  name?: string;
  cache?: string;
  has: string[];
  leaveWhenIdle?: number;
  ends?: number;
  health?: { host: string; port: number };
}

export function addExecutor(program: Command): void {
  program
    .command('executor')
    .description('execute runs of a model service on another machine, until SIGINT or SIGTERM')
    .addOption(new Option('--service-url <url>', 'address of the model service').env(variables.serviceUrl))
    .addOption(
      new Option('--key <key>', 'key of the executor, from foray keys add NAME --role executor').env(
        'FORAY_EXECUTOR_KEY',
      ),
    )
    .option('--temporal <address>', "address of the service's Temporal (default: TEMPORAL_ADDRESS)")
    .option(
      '--slots <number>',
      'number of runs that execute at once',
      wholeNumber(1),
      os.availableParallelism(),
    )
    .option('--name <name>', 'name in foray executors (default: the name of the machine)')
    .option('--cache <folder>', 'folder for models and files (default: a folder among temporary files)')
    .option(
      '--has <labels>',
      'labels of this machine, such as gpu,python3.12; some models need a machine with a label',
      labels,
      [],
    )
    .option(
      '--leave-when-idle <duration>',
      'leave after this time without a run, such as 90s or 5m',
      duration,
    )
    .option(
      '--ends <time>',
      'time when the machine is taken away; a run that would probably end later does not start',
      instant,
    )
    .addOption(healthOption())
    .addOption(logOption())
    .hook('preAction', logAsAsked)
    .action(async ({ serviceUrl, key, temporal, cache, health, ...flags }: Flags) => {
      if (!serviceUrl)
        throw missing('The address of the service', 'Set FORAY_SERVICE_URL, or give --service-url.');
      if (!key) throw missing('The key', 'Set FORAY_EXECUTOR_KEY, or give --key.');
      endWithParent();
      serveWithoutOutput();
      const signalled = untilSignalled();
      // loaded only here, because Temporal's native worker takes a moment to load
      const [{ startRemoteExecutor }, { endRuntime, installRuntime }] = await Promise.all([
        import('../service/remote-executor/remote-executor.ts'),
        import('../dev/temporal-log.ts'),
      ]);
      installRuntime();
      const { connectionOptions, namespace = 'default', payloadCodec } = temporalSettings();
      const url = serviceRoot(serviceUrl);
      const executor = await startRemoteExecutor({
        ...flags,
        url,
        key,
        onLine: tell,
        ...(cache !== undefined && { cache: resolve(cache) }),
        temporal: {
          connectionOptions: { ...connectionOptions, ...(temporal !== undefined && { address: temporal }) },
          namespace,
          payloadCodec,
        },
      }).catch(async (error: unknown) => {
        await endRuntime();
        throw error;
      });
      tell(`Executor ${executor.name} works for ${url} (slots: ${flags.slots}, process ${process.pid})`);
      if (health) {
        const { serveHealth } = await import('../http/health.ts');
        try {
          tell(`Health ${(await serveHealth(health, executor.needs)).url}/ready`);
        } catch (error) {
          executor.leave();
          await executor.left;
          throw error;
        }
      }
      tellReady();
      void signalled.then(() => {
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => executor.leave());
        tell('Draining: no more runs begin. A second signal gives the executing runs back to the service.');
        executor.drain();
      });
      await executor.left;
      await endTracing();
      process.exit();
    });
}

function missing(what: string, hint: string): ForayError {
  return new ForayError('USAGE', `${what} is missing.`, { hint });
}

function labels(text: string): string[] {
  const given = text.split(',').map((label) => label.trim());
  const wrong = given.find((label) => !/^[A-Za-z0-9][A-Za-z0-9_.+-]*$/.test(label));
  if (wrong !== undefined)
    throw new InvalidArgumentError(`"${wrong}" is not a label, such as gpu or python3.12.`);
  return given;
}

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000 };

/** Parses `90s`, `5m` or `2h`; returns milliseconds. */
function duration(text: string): number {
  const match = /^(\d+(?:\.\d+)?)([smh])$/.exec(text.trim());
  if (!match) throw new InvalidArgumentError('Expected a duration such as 90s, 5m or 2h.');
  return Number(match[1]) * UNITS[match[2] as keyof typeof UNITS];
}

/**
 * Parses a time. A time without a zone is local; a date without a time means midnight in UTC. Returns milliseconds
 * since 1970.
 */
function instant(text: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw new InvalidArgumentError('Expected a time such as 2026-05-31T18:00:00.');
  return ms;
}
