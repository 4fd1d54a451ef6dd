import { type Command, InvalidArgumentError } from 'commander';
import type { Pruned, PruneRequest, VersionSummary } from '../api/index.ts';
import { modelAtService } from '../client/index.ts';
import { ForayError } from '../errors.ts';
import { isConfirmed } from './confirm.ts';
import { print, printJson, printTable } from './output.ts';
import { bytesText, type SettingFlags, wholeNumber, withSettings } from './setting-options.ts';
import { serviceClient } from './with-foray.ts';

type Flags = SettingFlags & { json?: boolean };

/** The commands `foray models versions` and `foray models prune`. */
export function addModelsVersions(models: Command): void {
  withSettings(models.command('versions'))
    .description('list the versions of a model, and which of them can still run')
    .argument('<model>', 'name or id of a model')
    .option('--json', 'print the versions as JSON')
    .action(async (wanted: string, flags: Flags) => {
      const { name, versions } = await versionsOf(wanted, flags);
      if (flags.json) return printJson(versions);
      printTable(`Versions of ${name}`, [
        ['version', 'made', 'state', 'size', 'runs', 'why'],
        ...versions.map(({ version, madeAt, state, size, runs, reason }) => [
          String(version),
          madeAt?.replace('T', ' ').slice(0, 16) ?? '',
          state,
          size === null ? '' : bytesText(size),
          String(runs),
          reason ?? '',
        ]),
      ]);
    });
  withSettings(models.command('prune'))
    .description(
      'delete the files of old versions of a model; these versions then take no new runs, and their results stay',
    )
    .argument('<model>', 'name or id of a model')
    .option('--keep <number>', 'number of newest versions to keep', wholeNumber(1))
    .option(
      '--before <date>',
      'prune only versions from before this date or time, in UTC if it has no zone',
      utcTime,
    )
    .option('-y, --yes', 'do not ask for confirmation')
    .option('--json', 'print {pruned, busy, bytes}')
    .action(async (wanted: string, flags: Flags & PruneRequest & { yes?: boolean }) => {
      const { keep, before } = flags;
      if ((keep === undefined) === (before === undefined)) {
        throw new ForayError('USAGE', 'Give either --keep or --before to choose the versions to prune.');
      }
      const { id, name, cloud, versions } = await versionsOf(wanted, flags);
      // the request would also delete unused uploads, so --yes sends it in any case
      if (!flags.yes && !hasPrunable(versions, flags)) {
        return flags.json
          ? printJson({ pruned: [], busy: [], bytes: 0 } satisfies Pruned)
          : print(`${name} has no such old version to prune.`);
      }
      const which = keep === undefined ? `made before ${before}` : `but the newest ${keep}`;
      if (!(await isConfirmed(flags, `Prune all versions of ${name} ${which}?`))) return;
      const { pruned, busy, bytes } = await cloud.pruneVersions(id, { keep, before });
      if (flags.json) return printJson({ pruned, busy, bytes });
      print(`${pruned.length === 0 ? 'No version' : listed(pruned)} pruned; ${bytesText(bytes)} freed.`);
      if (busy.length > 0) print(`${listed(busy)} kept, because of unfinished runs.`);
    });
}

/**
 * The versions of a model at the service.
 * @throws ForayError DEV_NOT_RUNNING, UNKNOWN_MODEL, SERVICE_UNREACHABLE; USAGE for a service that does not list
 *   versions
 */
async function versionsOf(wanted: string, flags: Flags) {
  const cloud = serviceClient(flags);
  const { id, name } = await modelAtService(cloud, wanted);
  const versions: VersionSummary[] | undefined = await cloud.listVersions(id);
  if (!versions) throw new ForayError('USAGE', 'This model service does not list its versions.');
  return { cloud, id, name, versions };
}

/** Whether there are kept files of old versions that the request may delete. The newest version is never pruned. */
function hasPrunable(versions: readonly VersionSummary[], { keep = 1, before }: PruneRequest): boolean {
  return versions
    .slice(0, -keep)
    .some(
      ({ state, size, madeAt }) =>
        state !== 'current' &&
        size !== null &&
        (before === undefined || madeAt === null || Date.parse(madeAt) < Date.parse(before)),
    );
}

function listed(versions: readonly number[]): string {
  return `${versions.length === 1 ? 'Version' : 'Versions'} ${versions.join(', ')}`;
}

/** A date, perhaps with a time, perhaps with a zone. */
const DATE = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:\d\d)?)?$/;

/** Parses a date or a time, and returns the time in UTC. Without a zone it is in UTC, like the times of versions. */
function utcTime(text: string): string {
  const [, day, time = '00:00', zone = 'Z'] = DATE.exec(text) ?? [];
  const ms = Date.parse(`${day}T${time}${zone}`);
  if (Number.isNaN(ms)) {
    throw new InvalidArgumentError('Expected a date such as 2026-05-31, or a time such as 2026-05-31T18:00.');
  }
  return new Date(ms).toISOString();
}
