import { hostname } from 'node:os';
import { version } from '../package/own-version.ts';

/** What a worker knew about itself when it started. */
export interface WorkerFacts {
  store: string;
  /** The file of its store, as it is known on its machine; undefined if the store has no file. */
  file?: string | undefined;
  /** The UUID of its model service; undefined if the service did not answer, or has none. */
  service: string | undefined;
  /** Whether the service refused its key. */
  isRefused: boolean;
  /** How far the clock of the service was ahead of its clock, ms; undefined if that is unknown. */
  ahead: number | undefined;
  /** Whether it has a codec of payloads. */
  hasCodec: boolean;
}

/** A worker's name has this number of characters of an id. */
const SHORT = 8;

/**
 * The name by which Temporal lists a worker. "foray doctor" compares the workers of a task queue by their names, because
 * Temporal shows nothing else of a worker.
 */
export function workerIdentity({
  store,
  file,
  service,
  isRefused,
  ahead = 0,
  hasCodec,
}: WorkerFacts): string {
  return [
    `${process.pid}@${hostname()} foray ${version}`,
    `store ${store.slice(0, SHORT)}`,
    ...(file === undefined ? [] : [`file ${file}`]),
    ...(service === undefined ? [] : [`service ${service.slice(0, SHORT)}`]),
    ...(isRefused ? ['key refused'] : []),
    ...(hasCodec ? ['codec yes'] : []),
    `clock ${Math.round(ahead / 1_000)}`,
  ].join('; ');
}

/** A worker as its name describes it: its process, and how it differs from the caller's settings. */
export interface ReadWorker {
  name: string;
  /** Reasons why it cannot work for the caller's campaigns. */
  faults: string[];
  /** How far the clock of its service was ahead of its clock, ms. */
  ahead: number;
}

/** The caller's settings, as a worker's name has them. Ids are undefined where they are unknown. */
export interface OwnIds {
  store: string | undefined;
  file?: string | undefined;
  service: string | undefined;
  hasCodec: boolean;
}

export function readWorker(identity: string, own: OwnIds): ReadWorker {
  const [name, facts] = factsIn(identity);
  const differs = (what: 'store' | 'service'): boolean =>
    own[what] !== undefined && facts.has(what) && facts.get(what) !== own[what].slice(0, SHORT);
  const hasCodec = facts.has('codec');
  return {
    name,
    faults: [
      ...(differs('store') ? ['it has another store'] : []),
      ...(!differs('store') && hasOtherFile(name, facts.get('file'), own.file)
        ? ['its store is another file, which was moved, replaced or copied']
        : []),
      ...(differs('service') ? ['it has another model service'] : []),
      ...(own.hasCodec && !hasCodec ? ['it has no payload codec, and so cannot read new campaigns'] : []),
      ...(hasCodec && !own.hasCodec ? ['it has a payload codec, which the settings here do not name'] : []),
      ...(facts.get('key') === 'refused' ? ['the model service refused its key when it started'] : []),
    ],
    ahead: Number(facts.get('clock') ?? 0) * 1_000,
  };
}

/** Whether two workers have different stores, as far as their names tell. */
export function haveOtherStores(one: string, other: string): boolean {
  const [a, b] = [one, other].map((identity) => factsIn(identity)[1].get('store'));
  return a !== undefined && b !== undefined && a !== b;
}

/** Whether a worker on this machine has another file as its store than the caller. The copy of a store has the same id. */
function hasOtherFile(name: string, its: string | undefined, own: string | undefined): boolean {
  return its !== undefined && own !== undefined && its !== own && hostOf(name) === hostname();
}

function hostOf(name: string): string | undefined {
  return /^\d+@(\S+) foray /.exec(name)?.[1];
}

function factsIn(identity: string): [name: string, facts: Map<string, string>] {
  const [name = '', ...parts] = identity.split('; ');
  return [name, new Map(parts.map((part) => part.split(' ') as [string, string]))];
}
