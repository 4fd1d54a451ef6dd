import { closeSync, openSync, readdirSync, readFileSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { unusedFiles } from '../../src/client/client.ts';
import { messageOf } from '../../src/errors.ts';
import { leaksIn } from '../support/spellings.ts';
import { integrityOf } from './checker.ts';
import { familyOf } from './processes.ts';
import { filesIn, type World } from './world.ts';

/** Things that should not exist at the end of a soak. */
export interface Leftovers {
  files: string[];
  processes: string[];
  leaks: string[];
  damaged: string[];
  /** How many files were searched for the key, and their size. */
  searched: { files: number; bytes: number };
}

const SERVICE_FILES = /^(service\.(db(-wal|-shm)?|lock(-journal)?)|keys\.yaml|files|versions)$/;
/** The files that the model `Careless` writes where it may. */
const CARELESS = /careless-[^/]*$/;
const STORE_FILES = /^store\.db(-wal|-shm)?$/;
/** The check for unused files adds this time to the current time, ms. So no file is too new to delete. */
const LATER_MS = 7_200_000;
const SIGNATURE = /signature=[A-Za-z0-9_-]{43}/;

/** Looks for leftovers while all parts run and no work is left. */
export async function leftoversOf(world: World): Promise<Leftovers> {
  const { leaks, searched } = searchForSecrets(world);
  return {
    leaks,
    searched,
    processes: strayProcesses(world),
    damaged: await damagedStore(world),
    files: [...strayFiles(world), ...(await unneededAfterDelete(world))],
  };
}

function strayFiles({ disks, models, temporary }: World): string[] {
  const others = (folder: string, known: RegExp): string[] =>
    readdirSync(folder)
      .filter((name) => !known.test(name))
      .map((name) => join(folder, name));
  return [
    ...others(disks.service, SERVICE_FILES),
    ...others(disks.store, STORE_FILES),
    ...others(join(disks.service, 'files/unfinished'), /^$/),
    ...others(temporary, /^$/),
    ...[disks.service, models.here].flatMap(filesIn).filter((file) => CARELESS.test(file)),
  ].map((path) => `unexpected file: ${path}`);
}

/** Deletes all campaigns and removes unused files. Returns a sentence for each file that the store still has. */
async function unneededAfterDelete({ foray }: World): Promise<string[]> {
  try {
    for (const { campaign } of await foray['store'].listCampaigns()) await foray.delete(campaign.id);
    const files = await foray['store'].listFiles();
    await foray.collect(unusedFiles(files, [], Date.now() + LATER_MS));
    const left = await foray['store'].listFiles();
    return left.map(({ hash }) => `the store still has the file ${hash} after all campaigns were deleted`);
  } catch (error) {
    return [`the campaigns cannot be deleted: ${messageOf(error)}`];
  }
}

/**
 * Processes that work in the world's folder but belong to no part of the world, such as executors of a killed service.
 */
function strayProcesses({ folder, processes }: World): string[] {
  const kept = new Set(
    [...processes.values()].flatMap(({ pid }) => (pid === undefined ? [] : familyOf(pid))),
  );
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && !kept.has(Number(name)) && Number(name) !== process.pid)
    .flatMap((pid) => {
      const command = commandOf(pid);
      return command.includes(`${folder}/`) ? [`process ${pid} still runs: ${command.slice(0, 120)}`] : [];
    });
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

async function damagedStore({ disks, postgres, settings }: World): Promise<string[]> {
  try {
    if (postgres) {
      await postgres.query(settings.store, 'create extension if not exists amcheck');
      await postgres.query(
        settings.store,
        "select bt_index_check(oid) from pg_class where relkind = 'i' and relnamespace = 'public'::regnamespace",
      );
      return [];
    }
    const db = new DatabaseSync(join(disks.store, 'store.db'), { readOnly: true });
    try {
      return integrityOf(db, 'the store');
    } finally {
      db.close();
    }
  } catch (error) {
    return [`the database of the store: ${messageOf(error)}`];
  }
}

/** Searches all written files for secrets: logs, databases and Temporal's histories. */
function searchForSecrets({ folder, postgres, key }: World): Pick<Leftovers, 'leaks' | 'searched'> {
  const searched = { files: 0, bytes: 0 };
  const leaks: string[] = [];
  for (const path of [folder, ...(postgres ? [postgres.folder] : [])].flatMap(filesIn)) {
    searched.files += 1;
    searched.bytes += statSync(path).size;
    const spellings = new Set<string>();
    let isSigned = false;
    for (const part of partsOf(path)) {
      for (const spelling of leaksIn(part, key)) spellings.add(spelling);
      isSigned ||= SIGNATURE.test(part.toString('latin1'));
    }
    if (spellings.size > 0) leaks.push(`${path} contains the key (${[...spellings].join(', ')})`);
    if (isSigned) leaks.push(`${path} contains the signature of an address`);
  }
  return { leaks, searched };
}

/** A part of a file, in bytes: Temporal's database may be longer than the longest text of V8. */
const PART = 64 * 2 ** 20;
/** What two parts have in common, in bytes. A secret is shorter. */
const OVERLAP = 4_096;

/** The content of a file in parts that overlap. A part is valid until the next one. */
function* partsOf(path: string): Generator<Buffer> {
  const file = openSync(path, 'r');
  try {
    const part = Buffer.alloc(PART);
    for (let at = 0, length = PART; length === PART; at += PART - OVERLAP) {
      length = readSync(file, part, 0, PART, at);
      yield part.subarray(0, length);
    }
  } finally {
    closeSync(file);
  }
}
