import { Batched } from '../batched.ts';
import type { Campaign } from '../campaign/types.ts';
import type { Foray } from '../client/index.ts';
import { ForayError } from '../errors.ts';
import { counted, type FilesWritten, withPaths, writingFiles } from '../report/index.ts';
import type { ResultRow } from '../store/index.ts';
import { tell } from './output.ts';
import { ProgressLine } from './progress-line.ts';

/** Progress is shown after this time, ms. */
const QUIET_MS = 2_000;

type Results = Awaited<ReturnType<Foray['results']>>;

/** `foray results --files DIR`: writes output files to a folder, and reports how many files were written. */
export class ResultFiles {
  readonly #foray: Foray;
  readonly #id: string;
  readonly #folder: string;
  readonly #count: FilesWritten = { written: 0, there: 0, lacking: new Map() };
  readonly #progress = new ProgressLine();
  readonly #isScreen: boolean;

  /** @param options.isScreen - whether the table goes to a terminal, where its rows already show the progress */
  constructor(foray: Foray, id: string, { folder, isScreen }: { folder: string; isScreen: boolean }) {
    this.#foray = foray;
    this.#id = id;
    this.#folder = folder;
    this.#isScreen = isScreen;
  }

  /**
   * Results with file paths instead of references. Each row is yielded when its files are written.
   * @throws ForayError USAGE when the campaign has no output files
   */
  async withFiles({
    record: { campaign },
    rows,
  }: Results): Promise<{ campaign: Campaign; rows: Batched<ResultRow> }> {
    if (!campaign.outputs.some(({ type }) => type === 'OUTPUT_FILE')) {
      throw new ForayError('USAGE', `The campaign "${this.#id}" keeps no output of type OUTPUT_FILE.`, {
        hint: 'Remove --files.',
      });
    }
    const files = await this.#foray.outputFiles(this.#id);
    const written = writingFiles(files, campaign, rows, this.#folder, this.#count);
    return { campaign: withPaths(campaign), rows: Batched.single(this.#withProgress(written)) };
  }

  /**
   * Reports how many files were written, and how many are missing for each reason. Sets exit code 1 if files are
   * missing.
   */
  tellEnd(): void {
    const { written, there, lacking } = this.#count;
    const before = there > 0 ? `; ${counted(there, 'file')} existed` : '';
    this.#progress.finish(`Wrote ${counted(written, 'file')} to ${this.#folder}${before}`);
    if (lacking.size === 0) return;
    const total = [...lacking.values()].reduce((sum, count) => sum + count, 0);
    tell(`${counted(total, 'file')} could not be fetched; the table has references instead:`);
    for (const [reason, count] of lacking) tell(`  ${count} × ${reason}`);
    process.exitCode = 1;
  }

  async *#withProgress(rows: AsyncIterable<ResultRow>): AsyncGenerator<ResultRow, void, void> {
    const begun = performance.now();
    try {
      for await (const row of rows) {
        const { written, there } = this.#count;
        if (!this.#isScreen && performance.now() - begun > QUIET_MS)
          this.#progress.update(`files: ${written} written, ${there} there`);
        yield row;
      }
    } finally {
      this.#progress.clear();
    }
  }
}
