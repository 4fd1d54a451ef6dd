import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { checkDefinition } from '../campaign/check.ts';
import { countPoints } from '../campaign/count-points.ts';
import { readSource } from '../campaign/read.ts';
import type { Strategy } from '../campaign/strategy.ts';
import { strategyRules } from '../campaign/strategy-rules.ts';
import type { DefinitionSource } from '../campaign/source.ts';
import type { Campaign } from '../campaign/types.ts';
import { type FoundFile, variedFilesOf } from '../campaign/varied-files.ts';
import type { CloudClient } from '../cloud/index.ts';
import { inTurns } from '../turns.ts';
import { type DefinitionFiles, findPointFiles } from './files/definition-files.ts';
import { findVersion } from './find-version.ts';

export type { DefinitionFiles };
export {
  checkTakesRuns,
  hasNewerVersion,
  type FileChanges,
  fileChanges,
  otherVersion,
  TAKE_ANOTHER,
} from './other-version.ts';
export { ServiceAtHand } from './service-at-hand.ts';

/** A definition that was resolved against the model's version. */
export interface ResolvedDefinition {
  campaign: Omit<Campaign, 'id' | 'service'>;
  /** The number of different points of the design. */
  points: number;
  /** A hash of the checked campaign. Definitions that give the same campaign have the same hash. */
  digest: string;
}

/**
 * Reads a definition and checks all of it against the model's version at the service. Nothing is written or started.
 *
 * @param pinned - the version that `latest` means in a campaign that has started
 * @throws ForayError with the place in the definition or in a point file; the errors of the service
 */
export async function resolveDefinition(
  cloud: CloudClient,
  source: DefinitionSource,
  files: DefinitionFiles,
  pinned?: Campaign['model'],
): Promise<ResolvedDefinition> {
  const read = readSource(source);
  const { model, facts } = await findVersion(cloud, read, pinned);
  const { pointFiles, filesInRows } = await findPointFiles(read, facts, files);
  const { files: fixed, namedFiles, ...checked } = checkDefinition(read, facts, pointFiles);
  const found = await files.find(fixed, read.mistakes);
  const others = await files.findVaried([...namedFiles, ...filesInRows], read.mistakes);
  const isVaried = (input: string): boolean => checked.varied.some(({ name }) => name === input);
  // a design that changes one input at a time also has points with the file under `files`
  const unchanged = found
    .filter(({ input }) => isVaried(input))
    .map((file) => ({ ...file, path: posix.normalize(file.path) }));
  const variedFiles = variedFilesOf([...unchanged, ...others], read.mistakes);
  read.mistakes.throwAny();
  const campaign = {
    ...checked,
    strategy: await withProgram(checked.strategy, files),
    base: withFiles(checked.base, found, isVaried),
    files: found.map(({ input, hash, path }) => ({ input, hash, path })),
    ...(variedFiles.length > 0 && { variedFiles }),
    model,
  };
  const digest = createHash('sha256').update(meaningOf(campaign)).digest('hex');
  const contents = await files.contentsOf(campaign.design);
  const { points, repeats } = await inTurns(countPoints(read, facts, campaign, contents));
  strategyRules[campaign.strategy.by].checkPoints(read, campaign, points);
  return { campaign: { ...campaign, ...(repeats > 0 && { repeats }) }, points, digest };
}

/**
 * The text from which the hash of a definition is made. The text leaves out the folder of an outside optimiser and the
 * paths of files that all points share, because the hashes of their contents are included.
 */
function meaningOf(campaign: ResolvedDefinition['campaign']): string {
  const { strategy } = campaign;
  const files = campaign.files.map(({ input, hash }) => ({ input, hash }));
  if (strategy.by !== 'search' || typeof strategy.method === 'string')
    return JSON.stringify({ ...campaign, files });
  const method = { ...strategy.method, folder: '' };
  return JSON.stringify({ ...campaign, files, strategy: { ...strategy, method } });
}

async function withProgram(strategy: Strategy, files: DefinitionFiles): Promise<Strategy> {
  if (strategy.by !== 'search' || typeof strategy.method === 'string') return strategy;
  const { method } = strategy;
  return { ...strategy, method: { ...method, ...(await files.findProgram(method.command)) } };
}

/** Sets the values of file inputs: the hashes of the files, and the path for an input that differs between points. */
function withFiles(
  base: Campaign['base'],
  files: readonly FoundFile[],
  isVaried: (input: string) => boolean,
): Campaign['base'] {
  return base.map((input) => {
    const file = files.find((candidate) => candidate.input === input.name);
    if (!file) return input;
    // a design may write the same path in another way
    return { ...input, value: isVaried(input.name) ? posix.normalize(file.path) : file.hash };
  });
}
