import { join } from 'node:path';
import pLimit from 'p-limit';
import { byName } from '../../api/index.ts';
import { filesOfRun } from '../../campaign/output-files.ts';
import type { Campaign } from '../../campaign/types.ts';
import type { OutputFiles } from '../../client/index.ts';
import { isForayError } from '../../errors.ts';
import type { ResultRow } from '../../store/index.ts';
import { extensionOf, fileNames } from './file-names.ts';

/** The maximum number of files that are written at once. */
const FILES_AT_ONCE = 8;
/** The maximum number of rows whose files are fetched and written at the same time. */
const ROWS_AHEAD = 32;

/** Counts of written result files. */
export interface FilesWritten {
  written: number;
  /** Files that already existed with the same content. */
  there: number;
  /** Files that could not be fetched: their number by reason. */
  lacking: Map<string, number>;
}

/** Changes the type of file outputs to STRING, because the results then have paths. */
export function withPaths<C extends Pick<Campaign, 'outputs'>>(campaign: C): C {
  const outputs = campaign.outputs.map((output) =>
    output.type === 'OUTPUT_FILE' ? { ...output, type: 'STRING' as const } : output,
  );
  return { ...campaign, outputs };
}

/**
 * Writes the files of results to `DIR/<point>/<replication>/<output>.<extension>`, and yields the rows in their order.
 * Each reference to a file becomes its path. A file that cannot be fetched keeps its reference. A failed write is an
 * error.
 *
 * @param counts - this function increases them
 * @throws ForayError OUTPUT_UNWRITABLE
 */
export function writingFiles(
  files: Pick<OutputFiles, 'save'>,
  { outputs }: Pick<Campaign, 'outputs'>,
  rows: AsyncIterable<ResultRow>,
  folder: string,
  counts: FilesWritten,
): AsyncIterable<ResultRow> {
  const names = fileNames(outputs.map(({ name }) => name));
  const limit = pLimit(FILES_AT_ONCE);
  return ahead(rows, ROWS_AHEAD, async (row) => {
    const within = join(folder, fileNames([row.point]).get(row.point)!, String(row.replication));
    const paths = [...filesOfRun(outputs, row.outputs)].map(([name, file]) =>
      limit(async () => {
        const path = join(within, names.get(name)! + extensionOf(file.localPath));
        try {
          const outcome = await files.save(file, path);
          counts[outcome] += 1;
          return [[name, JSON.stringify(path)] as const];
        } catch (error) {
          if (!isForayError(error) || error.code === 'OUTPUT_UNWRITABLE') throw error;
          const reason = error.toLine();
          counts.lacking.set(reason, (counts.lacking.get(reason) ?? 0) + 1);
          return [];
        }
      }),
    );
    const written = Object.fromEntries((await Promise.all(paths)).flat());
    return { ...row, outputs: byName({ ...row.outputs, ...written }) };
  });
}

/**
 * Changes items in parallel and yields the results in order. A result waits only for the results before it.
 *
 * @param most - the maximum number of items that are changed at once
 */
async function* ahead<From, To>(
  items: AsyncIterable<From>,
  most: number,
  change: (item: From) => Promise<To>,
): AsyncGenerator<To, void, void> {
  const iterator = items[Symbol.asyncIterator]();
  const changing: Promise<{ changed: To }>[] = [];
  let coming: Promise<{ next: IteratorResult<From> }> | undefined;
  let isOver = false;
  try {
    while (!isOver || changing.length > 0) {
      if (!isOver && changing.length < most) coming ??= iterator.next().then((next) => ({ next }));
      const came = await Promise.race([...changing.slice(0, 1), ...(coming ? [coming] : [])]);
      if ('changed' in came) {
        void changing.shift();
        yield came.changed;
        continue;
      }
      coming = undefined;
      isOver = came.next.done === true;
      if (isOver) continue;
      const one = change(came.next.value as From).then((changed) => ({ changed }));
      // without this, Node would report an unhandled rejection; `Promise.race` throws the error when the item is the
      // first in the queue
      one.catch(() => undefined);
      changing.push(one);
    }
  } finally {
    await Promise.allSettled(changing);
    // the next item is not awaited, because it may take as long as the campaign
    coming?.catch(() => undefined);
    if (!isOver) iterator.return?.().catch(() => undefined);
  }
}
