/** Makes the pictures in docs/pictures: runs the demo with --keep, looks at its report and at the Web UI, and stops it. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { readAddresses } from '../src/dev/home.ts';

const root = resolve(import.meta.dirname, '..');
const main = join(root, 'src/cli/main.ts');
const pictures = join(root, 'docs/pictures');
const folder = mkdtempSync(join(tmpdir(), 'foray-pictures-'));

function foray(...args: string[]): void {
  const { status } = spawnSync(process.execPath, [main, ...args], { cwd: folder, stdio: 'inherit' });
  if (status !== 0) throw new Error(`foray ${args[0]} failed`);
}

mkdirSync(pictures, { recursive: true });
foray('demo', '--keep');
const home = join(folder, '.foray');
const { pid, temporal } = readAddresses(home)!;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
  ],
});
try {
  const page = await browser.newPage({ viewport: { width: 1100, height: 1100 } });
  await page.goto(pathToFileURL(join(folder, 'foray-demo/report.html')).href);
  await page.screenshot({ path: join(pictures, 'report.png') });

  foray('submit', join(root, 'examples/rehearsal/campaign.yaml'), '--id', 'rehearsal');
  await page.setViewportSize({ width: 1280, height: 860 });
  const url = `${temporal.webUi}/namespaces/default/workflows/rehearsal`;
  await page.goto(url);
  await page.getByText('User Metadata').click();
  // The page refreshes its details when R is pressed; far enough that there is something to see.
  const isFarEnough = async (): Promise<boolean> => {
    const texts = await Promise.all(page.frames().map((frame) => frame.locator('body').innerText()));
    return texts.some((text) => /[4-9] of 20 runs finished/.test(text));
  };
  while (!(await isFarEnough())) {
    await page.keyboard.press('r');
    await page.waitForTimeout(1_000);
  }
  await page.screenshot({ path: join(pictures, 'web-ui.png') });
} finally {
  await browser.close();
  process.kill(pid, 'SIGTERM');
}
rmSync(folder, { recursive: true, force: true, maxRetries: 50, retryDelay: 200 });
