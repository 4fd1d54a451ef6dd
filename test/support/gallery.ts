import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { cleanEnv, type Dev, foray, ROOT, startDev } from './cli.ts';
import { pythonOfGallery } from './python.ts';

/** docs/gallery.md, whose commands run as they stand there. */
export class Gallery {
  readonly #page = readFileSync(join(ROOT, 'docs/gallery.md'), 'utf8');
  readonly #env: NodeJS.ProcessEnv;
  readonly #dev: Dev;

  private constructor(env: NodeJS.ProcessEnv, dev: Dev) {
    this.#env = env;
    this.#dev = dev;
  }

  /** Starts `foray dev` beside a folder `examples`, with the packages of the gallery. */
  static async open(): Promise<Gallery> {
    const bin = await pythonOfGallery((line) => process.stderr.write(`${line}\n`));
    const PATH = [bin, process.env['PATH']].join(delimiter);
    const env = { VIRTUAL_ENV: dirname(bin), PATH, PYTHONDONTWRITEBYTECODE: '' };
    const dev = await startDev({ env });
    symlinkSync(join(ROOT, 'examples'), join(dev.folder, 'examples'));
    return new Gallery(env, dev);
  }

  get folder(): string {
    return this.#dev.folder;
  }

  /** The names of the entries, in the order of the page. */
  get names(): string[] {
    return [...this.#page.matchAll(/gallery\/(\w+)\/campaign\.yaml/g)].map(([, name]) => name!);
  }

  /** Runs the commands of an entry. @returns how long it took, in seconds. @throws Error if a command fails */
  async run(name: string): Promise<number> {
    const start = performance.now();
    for (const line of this.#commandsOf(name)) {
      const [program, ...words] = line.split(' ');
      if (program === 'npx') {
        const { code, stderr } = await foray(this.folder, words.slice(1), { env: this.#env });
        if (code !== 0) throw new Error(`${line} ended with ${code}: ${stderr}`);
      } else {
        await promisify(execFile)(program!, words, {
          cwd: this.folder,
          env: { ...cleanEnv(), ...this.#env },
        });
      }
    }
    return (performance.now() - start) / 1_000;
  }

  /** The commands of an entry, as the page has them. */
  #commandsOf(name: string): string[] {
    const blocks = [...this.#page.matchAll(/^```\n([^]*?)^```$/gm)].map(([, block]) => block!);
    const [own, more] = blocks.filter((block) => block.includes(`gallery/${name}/campaign.yaml`));
    if (own === undefined || more !== undefined) throw new Error(`${name} needs one block of commands`);
    return own.trimEnd().split('\n');
  }

  /** The file of an entry with its exact values, relative to examples/gallery. */
  exactFile(name: string): string {
    return new RegExp(`gallery/(${name}/\\w+\\.csv)`).exec(this.#page)![1]!;
  }

  close(): Promise<number | null> {
    return this.#dev.stop();
  }
}
