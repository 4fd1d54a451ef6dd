import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from '@jest/globals';
import { parse } from 'yaml';
import { foray, type Ran } from '../support/cli.ts';
import { pythonOfTests } from '../support/python.ts';

/** A folder for `foray models import` and the models that it writes, with the Python of the tests. */
export class Imports {
  readonly folder = mkdtempSync(join(tmpdir(), 'foray-import-'));
  readonly #bin: string;

  private constructor(bin: string) {
    this.#bin = bin;
  }

  static async open(): Promise<Imports> {
    return new Imports(await pythonOfTests());
  }

  get python(): string {
    return join(this.#bin, 'python');
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Runs `foray models`. */
  run(
    args: string[],
    {
      environment = dirname(this.#bin),
      folder = this.folder,
      more = {},
    }: { environment?: string; folder?: string; more?: NodeJS.ProcessEnv } = {},
  ): Promise<Ran> {
    // Mesa imports pandas, which Python compiles in each process unless it may keep the result
    const env = { VIRTUAL_ENV: environment, PYTHONDONTWRITEBYTECODE: '', ...more };
    return foray(folder, ['models', ...args], { env });
  }

  /** The outputs of `foray models check`, which compares runs in one process and in processes of their own. */
  async checked(model: string, inputs: Record<string, number>): Promise<Record<string, unknown>> {
    const given = Object.entries(inputs).flatMap(([name, value]) => ['--input', `${name}=${value}`]);
    const { code, stdout, stderr } = await this.run(['check', model, '--json', ...given]);
    expect([code, stderr]).toEqual([0, expect.anything()]);
    return (JSON.parse(stdout) as [{ outputs: Record<string, unknown> }])[0].outputs;
  }

  /**
   * The outputs of runs of a model, or the reasons of their failures, in one process. Other inputs have their defaults.
   * `foray models check` would load the packages of the model eight times.
   */
  answers(model: string, ...runs: Record<string, unknown>[]): (Record<string, unknown> | string)[] {
    const { inputs } = parse(readFileSync(join(this.folder, model, 'model.yaml'), 'utf8')) as {
      inputs: { name: string; default: unknown }[];
    };
    const defaults = Object.fromEntries(inputs.map((input) => [input.name, input.default]));
    const lines = runs.map((given, run) => `${JSON.stringify({ run, inputs: { ...defaults, ...given } })}\n`);
    const said = execFileSync(this.python, [join(this.folder, model, 'sim.py')], {
      cwd: mkdtempSync(join(this.folder, 'runs-')),
      input: lines.join(''),
      encoding: 'utf8',
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    const answers = said
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { outputs?: Record<string, unknown>; error?: string })
      .filter(({ outputs, error }) => outputs !== undefined || error !== undefined)
      .map(({ outputs, error }) => outputs ?? error!);
    expect(answers).toHaveLength(runs.length);
    return answers;
  }

  /** The reason why a run of a model fails. */
  reason(model: string, inputs: Record<string, unknown> = {}): string {
    const [reason] = this.answers(model, inputs);
    expect(reason).toEqual(expect.any(String));
    return reason as string;
  }
}
