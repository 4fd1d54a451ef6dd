/**
 * Makes the pictures in docs/pictures. This program runs the demo with --keep, takes the pictures, and stops the demo.
 * The pictures show the report of the demo, the reports of a campaign with intervals, of a search and of a sensitivity
 * analysis, the Web UI, the page and an animated run.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AnimationInfo, Model } from '../src/api/resources.ts';
import { readAddresses } from '../src/dev/home.ts';
import { launchBrowser, WorkflowPage } from '../test/support/browser.ts';
import { isRunning } from '../test/support/cli.ts';
import { until } from '../test/support/until.ts';
import { takePagePictures } from './page-pictures.ts';

const root = resolve(import.meta.dirname, '..');
const main = join(root, 'src/cli/main.ts');
const pictures = join(root, 'docs/pictures');
const folder = mkdtempSync(join(tmpdir(), 'foray-pictures-'));

function foray(...args: string[]): void {
  const { status } = spawnSync(process.execPath, [main, ...args], { cwd: folder, stdio: 'inherit' });
  if (status !== 0) throw new Error(`foray ${args[0]} failed`);
}

/** Starts an animated run, and returns the address of its page. */
async function animatedEpidemic(): Promise<string> {
  const { modelVersions } = await ask<Model>('/models/name/', 'Epidemic');
  const { bundleUrl } = await ask<AnimationInfo>(`/versions/${modelVersions.at(-1)}/runs/animation`, {
    experimentType: 'ANIMATION_SVG',
    inputs: [{ name: 'Stochastic', value: true }],
  });
  return bundleUrl!;
}

async function ask<T>(path: string, body: unknown): Promise<T> {
  const headers = { Authorization: service.key };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  return (await (await fetch(`${service.url}${path}`, init)).json()) as T;
}

mkdirSync(pictures, { recursive: true });
const browser = await launchBrowser();
foray('demo', '--keep');
const { pid, temporal, service } = readAddresses(join(folder, '.foray'))!;
try {
  const page = await browser.newPage({ viewport: { width: 1100, height: 1100 } });
  await page.goto(pathToFileURL(join(folder, 'foray-demo/report.html')).href);
  await page.screenshot({ path: join(pictures, 'report.png') });

  const desk = join(root, 'examples/service-desk');
  foray('submit', join(desk, 'campaign.yaml'), '--id', 'desk', '--watch');
  foray('report', 'desk', '--reference', join(desk, 'erlang-c.csv'), '-o', 'desk.html');
  await page.goto(pathToFileURL(join(folder, 'desk.html')).href);
  await page
    .locator('section')
    .first()
    .screenshot({ path: join(pictures, 'intervals.png') });

  foray('submit', join(root, 'examples/search/inventory.yaml'), '--id', 'stock', '--watch');
  foray('report', 'stock', '-o', 'stock.html');
  await page.setViewportSize({ width: 1000, height: 1740 });
  await page.goto(pathToFileURL(join(folder, 'stock.html')).href);
  await page.screenshot({ path: join(pictures, 'search.png') });

  // the campaign of docs/guides/sensitivity.md
  const tutorial = readFileSync(join(root, 'docs/guides/sensitivity.md'), 'utf8');
  writeFileSync(join(folder, 'costs.yaml'), /```yaml\n([^`]+)```/.exec(tutorial)![1]!);
  foray('submit', 'costs.yaml', '--id', 'costs', '--watch');
  foray('report', 'costs', '-o', 'costs.html');
  await page.setViewportSize({ width: 1000, height: 1400 });
  await page.goto(pathToFileURL(join(folder, 'costs.html')).href);
  await page.screenshot({ path: join(pictures, 'sensitivity.png') });

  foray('submit', join(root, 'examples/rehearsal/campaign.yaml'), '--id', 'rehearsal');
  await page.setViewportSize({ width: 1280, height: 860 });
  const url = `${temporal.webUi}/namespaces/default/workflows/rehearsal`;
  const workflow = await WorkflowPage.open(page, url);
  // wait until some runs have finished
  await workflow.details(/[4-9] of 20 runs finished/);
  await page.screenshot({ path: join(pictures, 'web-ui.png') });

  // foray dev serves the page; `foray ui` prints an address that logs in
  const login = spawnSync(process.execPath, [main, 'ui', '--no-open'], { cwd: folder, encoding: 'utf8' });
  const shown = { page, login: login.stdout.trim(), pictures, folder, foray };
  await takePagePictures(shown, join(desk, 'campaign.yaml'));

  await page.setViewportSize({ width: 1180, height: 860 });
  await page.goto(await animatedEpidemic());
  await until('the animated run has reached day 7, 8 or 9', async () =>
    /^[7-9]\./.test((await page.locator('.foray-time').textContent()) ?? ''),
  );
  await page.keyboard.press('Space');
  await page.getByText('Paused').waitFor();
  await page.screenshot({ path: join(pictures, 'animation.png') });
} finally {
  await browser.close();
  process.kill(pid, 'SIGTERM');
}
// a process that still runs could write to the folder while we remove it
await until('foray dev has ended', () => !isRunning(pid));
rmSync(folder, { recursive: true, force: true });
