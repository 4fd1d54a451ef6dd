import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { SHIPPED_MODELS, KEY, startTestService } from '../service/support.ts';
import { launchBrowser } from '../support/browser.ts';

/** A page of another origin uses our service as a browser client of interface 8.5.0 does. */

let browser: Browser;
let page: Server;
let origin: string;

beforeAll(async () => {
  browser = await launchBrowser();
  page = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<title>client'),
  );
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(page.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await browser.close();
  page.close();
});

test('a page of another origin can use models, versions, files, runs and results, and can read the refusal of a wrong key', async () => {
  const { running } = await startTestService({ modelDirs: [SHIPPED_MODELS] });
  const tab = await browser.newPage();
  await tab.goto(origin);
  const seen = await tab.evaluate(
    async ([root, key]) => {
      // only 200 is a success, and every body is JSON
      const ask = async <T>(path: string, body?: unknown): Promise<T> => {
        const response = await fetch(`${root}${path}`, {
          method: body === undefined ? 'GET' : 'POST',
          headers: { Authorization: key!, 'Content-Type': 'application/json' },
          ...(body !== undefined && { body: body instanceof Blob ? body : JSON.stringify(body) }),
        });
        const answer = (await response.json()) as T;
        if (response.status !== 200) throw new Error(JSON.stringify(answer));
        return answer;
      };
      type Item = { name: string; type: string; units: string | null; value: string };
      const model = await ask<{ id: string; modelVersions: string[] }>('/models/name/', 'Epidemic');
      const version = await ask<{ id: string; experimentTemplate: { inputs: Item[] } }>(
        `/models/${model.id}/versions/${model.modelVersions.at(-1)}`,
      );
      const content = new Blob(['day,cases\n0,1\n1,3\n']);
      const digest = await crypto.subtle.digest('SHA-256', await content.arrayBuffer());
      const hash = btoa(String.fromCharCode(...new Uint8Array(digest)))
        .replaceAll('+', '-')
        .replaceAll('/', '_')
        .replaceAll('=', '');
      const wasThere = await ask<boolean>(`/check-file/?hash=${hash}`);
      const uploaded = await ask<string>('/upload-file/', content);
      const inputs = version.experimentTemplate.inputs.map((item) =>
        item.name === 'Observed cases' ? { ...item, value: hash } : item,
      );
      const request = { experimentType: 'SIMULATION', inputs };
      let run = await ask<{ id: string; status: string }>(`/versions/${version.id}/runs`, request);
      while (run.status === 'FRESH' || run.status === 'RUNNING')
        run = await ask(`/versions/${version.id}/run`, request);
      const results = await ask<{ outputs: Item[]; value: string }[]>(
        `/versions/${version.id}/results/${run.id}`,
        [],
      );
      const file = JSON.parse(results.find(({ outputs }) => outputs[0]!.name === 'Trajectory')!.value) as {
        hash: string;
        localPath: string;
      };
      const url = await ask<string>(`/output-file/?hash=${file.hash}&filename=${file.localPath}`);
      const download = await fetch(url);
      const refused = await fetch(`${root}/models`, { headers: { Authorization: 'wrong' } });
      return {
        wasThere,
        isSame: uploaded === hash,
        status: run.status,
        names: results.map(({ outputs }) => outputs[0]!.name),
        text: await download.text(),
        disposition: download.headers.get('content-disposition'),
        refused: ((await refused.json()) as { code: string }).code,
      };
    },
    [running.url, KEY],
  );
  expect(seen).toMatchObject({ wasThere: false, isSame: true, status: 'COMPLETED', refused: 'KEY_REFUSED' });
  expect(seen.names).toContain('Fit error');
  expect(seen.text).toMatch(/^day,susceptible/);
  expect(seen.disposition).toContain('trajectory.csv');
});
