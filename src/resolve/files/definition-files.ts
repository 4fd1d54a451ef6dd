import { posix } from 'node:path';
import { pointCheck } from '../../campaign/designs/points.ts';
import { pointPaths } from '../../campaign/designs/paths.ts';
import type { Design } from '../../campaign/designs/index.ts';
import type { PointCheck, PointFile } from '../../campaign/designs/table.ts';
import type { ModelFacts } from '../../campaign/facts.ts';
import { inputFinder } from '../../campaign/find-input.ts';
import type { Contents } from '../../campaign/points.ts';
import type { ReadDefinition } from '../../campaign/read.ts';
import type { OutsideMethod } from '../../campaign/search/search.ts';
import { type FoundFile, type WantedFile, WantedFiles } from '../../campaign/varied-files.ts';
import type { Place } from '../../errors.ts';
import type { Mistakes } from '../../yaml/mistake-collector.ts';

/** Access to the files that a definition names. A campaign refers to the content of a file by its hash. */
export interface DefinitionFiles {
  /** Finds the files that inputs have at all points. @param mistakes - gets the files that cannot be used */
  find(wanted: readonly WantedFile[], mistakes: Mistakes): Promise<FoundFile[]>;
  /** Finds the files of inputs that differ between points, like {@link find}. */
  findVaried(wanted: readonly WantedFile[], mistakes: Mistakes): Promise<FoundFile[]>;
  /**
   * Finds a point file that a design names.
   *
   * @param path - the path as written in the definition
   * @param place - the place of the path in the definition
   */
  findPoints(path: string, place: Place, check: PointCheck): Promise<PointFile>;
  /** Finds the working folder of an outside optimiser, and the hashes of the files that words of its command name. */
  findProgram(command: readonly string[]): Promise<Pick<OutsideMethod, 'folder' | 'files'>>;
  /** The contents of the point files that were found. */
  contentsOf(design: Design): Promise<Contents>;
}

/**
 * Finds all point files that a design names, by their path as written, and the files that their rows name. The
 * mistakes in a file go to `mistakes`.
 */
export async function findPointFiles(
  { definition: { design }, locate, mistakes }: ReadDefinition,
  facts: ModelFacts,
  files: DefinitionFiles,
): Promise<{ pointFiles: Record<string, PointFile>; filesInRows: WantedFile[] }> {
  // a path may be any text, even the name of a property that every object has
  const found = Object.create(null) as Record<string, PointFile>;
  const filesInRows: WantedFile[] = [];
  const tried = new Set<string>();
  for (const { path, at } of design ? pointPaths(design, ['design']) : []) {
    if (tried.has(path)) continue;
    tried.add(path);
    const wanted = new WantedFiles(posix.dirname(path));
    const find = inputFinder(facts, wanted);
    const points = await mistakes.attemptAsync(() =>
      files.findPoints(path, locate(at), pointCheck({ find })),
    );
    if (points) found[path] = points;
    filesInRows.push(...wanted);
  }
  return { pointFiles: found, filesInRows };
}
