/** How long a program that stays loaded may take to load, in milliseconds. */
export const PROGRAM_LOAD_LIMIT = 5 * 60_000;

/** The Python and the packages with which a program of a model was loaded. They decide its outputs. */
export interface PythonBuild {
  /** The version of Python without its last number, such as 3.12. */
  python: string;
  /** The versions of the distributions of which the program has imported modules, by name. */
  packages: Record<string, string>;
}

/** The build that a program says when it is loaded; undefined if it says none. */
export function buildIn({ python, packages }: Record<string, unknown>): PythonBuild | undefined {
  if (typeof python !== 'string' || typeof packages !== 'object' || packages === null) return undefined;
  const versions = Object.entries(packages).map(([name, version]) => [name, String(version)] as const);
  return { python, packages: Object.fromEntries(versions) };
}

/** The most differences that a text names. */
const MOST_NAMED = 3;

/** What differs between two builds, such as "numpy 1.26.4, now 2.0.1"; undefined if nothing does. */
export function buildDifference(before: PythonBuild, now: PythonBuild): string | undefined {
  const versions = ({ python, packages }: PythonBuild): Map<string, string> =>
    new Map([['Python', python], ...Object.entries(packages)]);
  const [old, current] = [versions(before), versions(now)];
  const changes = [...new Set([...old.keys(), ...current.keys()])]
    .filter((name) => old.get(name) !== current.get(name))
    .map((name) => {
      if (!current.has(name)) return `${name} ${old.get(name)}, now not used`;
      return `${name} ${old.has(name) ? `${old.get(name)}, now` : 'is new,'} ${current.get(name)}`;
    });
  if (changes.length === 0) return undefined;
  const more = changes.length - MOST_NAMED;
  return `${changes.slice(0, MOST_NAMED).join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

/** A build in words: "Python 3.12 with numpy 2.0.1 and scipy 1.14.0". */
export function buildText({ python, packages }: PythonBuild): string {
  const named = Object.entries(packages).map(([name, version]) => `${name} ${version}`);
  return `Python ${python} ${named.length === 0 ? 'without packages' : `with ${named.join(', ')}`}`;
}
