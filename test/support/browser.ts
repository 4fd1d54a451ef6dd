import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from 'playwright-core';
import { until } from './until.ts';

/** Names of Chromium. The headless shell comes first, because it has no windows or menus and takes less CPU time. */
const PROGRAMS = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/**
 * Finds Chromium: the program that FORAY_CHROMIUM names, or a program on the path.
 *
 * @throws Error that says what to install
 */
function findChromium(env: NodeJS.ProcessEnv = process.env): string {
  const folders = (env.PATH ?? '').split(delimiter);
  const onPath = PROGRAMS.flatMap((program) => folders.map((folder) => join(folder, program)));
  const found = (env.FORAY_CHROMIUM ? [env.FORAY_CHROMIUM] : onPath).find(isProgram);
  if (found) return found;
  throw new Error(
    env.FORAY_CHROMIUM
      ? `FORAY_CHROMIUM names ${env.FORAY_CHROMIUM}, which is not a program`
      : `None of the programs ${PROGRAMS.join(', ')} is on the path: install Chromium (apt-get install chromium), or set FORAY_CHROMIUM to its path`,
  );
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** How long a page or an action may take, ms. Playwright's own limit of 30 s is too short for a busy machine. */
const PATIENCE = 120_000;

export async function launchBrowser(): Promise<Browser> {
  const browser = await chromium.launch({
    timeout: PATIENCE,
    executablePath: findChromium(),
    // Chromium's sandbox does not work for root, and we trust our own pages
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
    ],
  });
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    context.setDefaultTimeout(PATIENCE);
    return context;
  };
  return browser;
}

/**
 * Opens a page without animations. Some animations of Temporal's Web UI never end, and drawing them takes half a core.
 */
export async function stillPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  const css = '*, *::before, *::after { animation: none !important; transition: none !important }';
  await page.addInitScript(`document.addEventListener('DOMContentLoaded', () => {
    document.head.append(Object.assign(document.createElement('style'), { textContent: '${css}' }));
  })`);
  return page;
}

export type Tab = 'History' | 'Queries' | 'User Metadata' | 'Search Attributes' | 'Memo';

/** The page of one workflow in Temporal's Web UI. The tests use it in the same way as a person. */
export class WorkflowPage {
  readonly page: Page;
  readonly #main: Locator;

  private constructor(page: Page) {
    this.page = page;
    this.#main = page.getByRole('main');
  }

  static async open(page: Page, url: string): Promise<WorkflowPage> {
    await page.goto(url);
    return new WorkflowPage(page);
  }

  /**
   * Sends a signal. `input` is JSON. Returns when Temporal has received the signal.
   *
   * @throws Error with Temporal's answer if it is not the answer of success
   */
  async signal(name: string, input?: string): Promise<void> {
    const dialog = await this.#fillIn('Send a Signal', name, input);
    const answer = this.page.waitForResponse((response) => response.url().includes(`/signal/${name}`));
    await dialog.getByRole('button', { name: 'Submit' }).click();
    const response = await answer;
    if (!response.ok())
      throw new Error(`the signal ${name} was answered ${response.status()}: ${await response.text()}`);
    await dialog.waitFor({ state: 'hidden' });
  }

  /**
   * Sends an update and waits for the answer. `input` is JSON. Returns the reason of a refusal, otherwise undefined.
   */
  async update(name: string, input?: string): Promise<string | undefined> {
    const dialog = await this.#fillIn('Send an Update', name, input);
    await dialog.getByRole('button', { name: 'Submit' }).click();
    const refusal = dialog.getByRole('alert').getByRole('paragraph');
    await until(`${name} is answered`, async () => (await dialog.isHidden()) || refusal.isVisible());
    if (await dialog.isHidden()) return undefined;
    const why = await refusal.innerText();
    await dialog.getByText('Cancel', { exact: true }).click();
    return why;
  }

  async requestCancellation(): Promise<void> {
    await this.#main.getByRole('button', { name: 'Request Cancellation' }).click();
    const dialog = this.page.getByRole('dialog', { name: 'Cancel Workflow' });
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await dialog.waitFor({ state: 'hidden' });
  }

  /** Opens the tab of queries and runs a query. Returns the answer of the workflow. */
  async query(name: string): Promise<unknown> {
    const select = this.page.getByTestId('query-select-button');
    await this.#untilOffered(select, () => this.tab('Queries'));
    await this.#choose(this.#main, select, name);
    await this.#main.getByRole('button', { name: 'Run Query' }).click();
    return jsonIn(this.#main.getByTestId('query-result'));
  }

  async tab(name: Tab): Promise<void> {
    await this.#main.getByRole('tab', { name }).click();
  }

  /** The JSON document that a tab shows. */
  async document(tab: 'Search Attributes' | 'Memo'): Promise<unknown> {
    await this.tab(tab);
    await this.#main.getByRole('heading', { name: tab, level: 3 }).waitFor();
    return jsonIn(this.#main);
  }

  /** Waits until the details of the workflow under User Metadata match `expected`. Returns the details. */
  async details(expected: RegExp): Promise<string> {
    await this.tab('User Metadata');
    await this.#main.getByRole('heading', { name: 'Current Details' }).waitFor();
    // the Markdown of the summary and the Markdown of the details are in separate frames
    const body = this.#main.getByTitle('output').last().contentFrame().locator('body');
    return until(`the details say ${expected}`, async () => {
      await this.page.keyboard.press('r');
      const text = await body.innerText();
      return expected.test(text) && text;
    });
  }

  async #fillIn(action: 'Send a Signal' | 'Send an Update', name: string, input?: string): Promise<Locator> {
    const dialog = this.page.getByRole('dialog', { name: action });
    const select = dialog.getByRole('button', { name: /^Select an? / });
    await this.#untilOffered(select, async () => {
      const more = this.#main.getByRole('button', { name: 'More Actions' });
      if (!(await appears(more))) return;
      await more.click();
      await this.page.getByRole('menuitem', { name: action }).click();
    });
    await this.#choose(dialog, select, name);
    if (input !== undefined) {
      const editor = dialog.getByRole('textbox').last();
      await editor.fill(input);
      // When the editor loses focus, it indents the JSON, and the elements below it move. An immediate click would miss
      // these elements.
      await editor.blur();
    }
    return dialog;
  }

  /**
   * Opens a form until it has the list `select`. The page asks the workflow once for the names in the list, and the server
   * once for the workflow. If the answer comes too late, a person loads the page again.
   */
  async #untilOffered(select: Locator, open: () => Promise<void>): Promise<void> {
    await until('the page lists the names of the workflow', async () => {
      await open();
      if (await appears(select)) return true;
      await this.page.reload();
      return false;
    });
  }

  async #choose(within: Locator, select: Locator, name: string): Promise<void> {
    await select.click();
    await within.getByRole('option', { name: new RegExp(`^${name}\\b`) }).click();
  }
}

async function appears(what: Locator): Promise<boolean> {
  return what.waitFor({ timeout: 15_000 }).then(
    () => true,
    () => false,
  );
}

/** The JSON in the last editor. */
function jsonIn(place: Locator): Promise<unknown> {
  return until('the editor has JSON', async () => {
    const text = await place.getByRole('textbox').last().innerText();
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return undefined;
    }
  });
}
