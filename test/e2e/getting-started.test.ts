import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { type Dev, foray, ROOT, startDev } from '../support/cli.ts';
import { PROGRAM } from '../support/program.ts';

const page = readFileSync(join(ROOT, 'docs/getting-started.md'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'foray-getting-started-'));
let dev: Dev | undefined;
afterAll(async () => {
  await dev?.stop();
  rmSync(folder, { recursive: true, force: true });
});

test('each foray command of docs/getting-started.md except the demo works, in the order of the page', async () => {
  const done: string[] = [];
  for (const [block, before, file, , lines] of page.matchAll(
    /(.*as `([\w.]+)`:\n)?\n```(yaml)?\n([^]*?)```/g,
  )) {
    if (before !== undefined)
      writeFileSync(join(folder, file!), lines!.replace(/(?<=replications: )\d+/, '2'));
    else if (!block.includes('```yaml')) {
      for (const line of lines!.trim().split('\n')) if (await carryOut(line)) done.push(line);
    }
    if (done.at(-1)?.includes('report flu')) changeReplications();
  }
  expect(done.length).toBeGreaterThan(14);
});

test('the program of the README submits a campaign and prints its rows', async () => {
  const [, program] = /```ts\n([^]*?)```/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))!;
  const library = pathToFileURL(join(PROGRAM, 'dist/src/index.js')).href;
  writeFileSync(join(folder, 'program.ts'), program!.replace("'foray'", `'${library}'`));
  const { stdout } = await promisify(execFile)(process.execPath, ['program.ts'], { cwd: folder });
  expect(stdout).toMatch(/2 of 2\n1\.2 202\.9\d+\n1\.6 282\.5\d+\n$/);
});

/** Executes a line of the page. Returns false for the installation and the demo, which other tests cover. */
async function carryOut(line: string): Promise<boolean> {
  const [, text] = /^npx foray (.*)$/.exec(line) ?? [];
  if (text === undefined || text === 'demo') return false;
  const [command, ...args] = [...text.matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, word]) => quoted ?? word!,
  );
  if (command === 'dev') {
    if (dev) {
      const ended = once(dev.child, 'exit');
      dev.child.kill('SIGINT');
      await ended;
    }
    dev = await startDev({ folder, args });
    return true;
  }
  expect({ line, ...(await foray(folder, [command!, ...args])) }).toMatchObject({ line, code: 0 });
  return true;
}

/** Does a step that the page describes in words: more replications. The page has 20 instead of 10. */
function changeReplications(): void {
  const file = join(folder, 'flu.yaml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('replications: 2', 'replications: 3'));
}
