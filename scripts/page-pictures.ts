import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** The setup for pictures of the page: a home with the demo and the campaign `desk`, and a tab of a browser. */
export interface Studio {
  page: Page;
  /** An address that logs in. */
  login: string;
  /** The folder for the pictures. */
  pictures: string;
  /** The folder in which commands run and write files. */
  folder: string;
  foray: (...args: string[]) => void;
}

const WIDE = 1000;
const NARROW = 390;

/** Makes the pictures of docs/guides/page.md. The page of one campaign is also shown in dark colours, wide and narrow. */
export async function takePagePictures(studio: Studio, deskFile: string): Promise<void> {
  const { page, login, pictures, folder, foray } = studio;
  const shot = async (name: string, height: number, width = WIDE): Promise<void> => {
    await page.setViewportSize({ width, height });
    await page.screenshot({ path: join(pictures, `page-${name}.png`) });
  };
  const origin = new URL(login).origin;
  await page.goto(login);
  await page.getByRole('link', { name: 'desk', exact: true }).waitFor();
  await shot('list', 480);

  await page.getByRole('link', { name: /boarding-school-flu/ }).click();
  await page.locator('#report figure').first().waitFor();
  await shot('campaign', 1150);
  await page.emulateMedia({ colorScheme: 'dark' });
  await shot('dark', 1150);
  await shot('narrow', 1150, NARROW);
  await page.emulateMedia({ colorScheme: 'light' });

  await page.goto(`${origin}/new?model=Epidemic&way=grid`);
  await page.locator('[name="/design/grid/Contact rate?"]').selectOption({ label: 'range' });
  const range = { from: '1.2', to: '2.2', step: '0.1' };
  for (const [name, value] of Object.entries(range))
    await page.locator(`[name="/design/grid/Contact rate:2/${name}"]`).fill(value);
  await page.getByText('11 points').waitFor();
  await shot('new', 1000);

  await page.goto(`${origin}/campaigns/desk/runs`);
  await page.locator('td a').first().click();
  await page.getByRole('heading', { name: 'Runs' }).waitFor();
  await shot('point', 820);

  await page.goto(`${origin}/models/Inventory`);
  await shot('model', 1180);

  // a second campaign of the same desk, with a longer service time
  const text = readFileSync(deskFile, 'utf8').replace('Mean service time: 1', 'Mean service time: 1.05');
  writeFileSync(join(folder, 'slower.yaml'), text);
  foray('submit', 'slower.yaml', '--id', 'slower', '--watch');
  await page.goto(`${origin}/compare?id=desk&id=slower`);
  await shot('compare', 1000);
}
