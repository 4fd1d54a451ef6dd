/* oxlint-disable typescript/no-unsafe-assignment, typescript/no-unsafe-member-access, typescript/no-unsafe-return, typescript/no-unsafe-argument, typescript/no-unsafe-call -- the tests look at answers without a schema */
import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { KEY } from './fixed.ts';
import { reach } from './support.ts';
import {
  running,
  service,
  model,
  version,
  runs,
  UUID,
  simulation,
  completed,
  templateOf,
  ok,
  type Json,
} from './specification.ts';

describe('3 States', () => {
  test('a run can reach COMPLETED, FAILED and STOPPED', async () => {
    const done = await completed(simulation({ Rate: 3 }));
    expect((await service.get<Json>(`${runs}/${done.id}/progress`)).body.status).toBe('COMPLETED');

    const failing = ok(await service.post<Json>(runs, simulation({ Text: 'fail' })));
    const { message } = await reach(service, failing, 'FAILED');
    expect(JSON.parse(message!).title).toContain('told to fail');

    const request = simulation({ Text: 'forever' });
    const endless = ok(await service.post<Json>(runs, request));
    await reach(service, endless, 'RUNNING');
    ok(await service.post(`${runs}/stop`, request));
    await reach(service, endless, 'STOPPED');
  });

  test('a request for the results of a failed run gets a 404', async () => {
    const failing = ok(await service.post<Json>(runs, simulation({ Text: 'fail' })));
    await reach(service, failing, 'FAILED');
    expect((await service.post(`/versions/${version.id}/results/${failing.id}`, [])).status).toBe(404);
  });
});

describe('4 Endpoints', () => {
  test('GET /models lists the model, and GET /models/<model_id> returns it', async () => {
    const models = ok(await service.get<Json>('/models'));
    expect(models).toContainEqual(model);
    expect(ok(await service.get(`/models/${model.id}`))).toEqual(model);
  });

  test('the service finds a version by its number from 1 on, or by its id; any other number is an error', async () => {
    expect(ok(await service.get(`/models/${model.id}/versions/number/1`))).toEqual(version);
    expect(ok(await service.get(`/models/${model.id}/versions/${version.id}`))).toEqual(version);
    for (const number of [0, 2, 'one']) {
      const { status, body } = await service.get<Json>(`/models/${model.id}/versions/number/${number}`);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(body).toMatchObject({ status, message: expect.any(String) });
    }
  });

  test('the service finds a model by the name in the body, which may also be the last segment of the path', async () => {
    expect(ok(await service.post('/models/name/', 'Specimen'))).toEqual(model);
    expect(ok(await service.post('/models/name/Specimen', 'Specimen'))).toEqual(model);
  });

  test('POST runs: a simulation starts only if no identical run was performed', async () => {
    const first = await completed(simulation({ Rate: 4 }));
    const again = ok(await service.post<Json>(runs, simulation({ Rate: 4 })));
    expect([again.id, again.status, again.outputs]).toEqual([first.id, 'COMPLETED', null]);
  });

  test('POST runs/stop answers with null', async () => {
    const request = simulation({ Text: 'forever', Rate: 5 });
    await service.post(runs, request);
    expect(ok(await service.post(`${runs}/stop`, request))).toBeNull();
  });

  test('POST run returns the status of a run, and starts no run', async () => {
    const request = simulation({ Rate: 6 });
    expect((await service.post(`/versions/${version.id}/run`, request)).status).toBe(404);
    const run = await completed(request);
    const asked = ok(await service.post<Json>(`/versions/${version.id}/run`, request));
    expect(asked).toMatchObject({ id: run.id, status: 'COMPLETED', outputs: null });
  });

  test('POST results returns the results of a run by its inputs in the form of a template, or a 404', async () => {
    const request = { ...simulation({ Rate: 7 }), outputs: JSON.stringify(templateOf('Twice')) };
    expect((await service.post(`/versions/${version.id}/results`, request)).status).toBe(404);
    await completed(simulation({ Rate: 7 }));
    const outputs = ok(await service.post<Json>(`/versions/${version.id}/results`, request));
    expect(outputs.map(({ value }: Json) => value)).toEqual(['14']);
  });

  test('a file can be uploaded, checked, and downloaded by a pre-signed address', async () => {
    const content = 'a file';
    const hash = createHash('sha256').update(content).digest('base64url');
    const headers = { Authorization: KEY };
    expect(ok(await service.get(`/check-file?hash=${hash}`))).toBe(false);
    const up = await fetch(`${running.url}/upload-file`, { method: 'POST', body: content, headers });
    expect(await up.json()).toBe(hash);
    expect(ok(await service.get(`/check-file?hash=${hash}`))).toBe(true);
    const address = ok(await service.get<string>(`/output-file?hash=${hash}&filename=a.txt`));
    expect(await (await fetch(address)).text()).toBe(content);
  });

  test.each(['/output-file?hash=x', '/output-file?filename=a.txt', '/check-file'])(
    'a request without a required query parameter gets a 400: %s',
    async (path) => {
      expect((await service.get(path)).status).toBe(400);
    },
  );

  test('an output file of a run is fetched by its hash', async () => {
    const run = await completed(simulation({ Rate: 8 }));
    const [file] = ok(
      await service.post<Json>(`/versions/${version.id}/results/${run.id}`, templateOf('File')),
    );
    const { hash, localPath } = JSON.parse(file.value);
    const address = ok(await service.get<string>(`/output-file?hash=${hash}&filename=${localPath}`));
    expect(await (await fetch(address)).text()).toBe('rate 8');
  });
});

describe('4 and 2.10 animated runs', () => {
  test('the answer has the specified fields, and arrives when the animation has started', async () => {
    const drawn = ok(await service.post<Json>('/models/name/', 'Epidemic'));
    const versionId = drawn.modelVersions.at(-1);
    const { body: experiments } = await service.get<Json>(`/versions/${versionId}/experiments`);
    const info = ok(
      await service.post<Json>(`/versions/${versionId}/runs/animation`, {
        experimentType: 'ANIMATION_SVG',
        inputs: experiments[0].inputs,
      }),
    );
    expect(info).toMatchObject({
      animationHeight: expect.any(Number),
      animationWidth: expect.any(Number),
      animationSpeed: expect.any(Number),
      experimentRunId: expect.any(String),
      modelUuid: drawn.id,
      sessionUuid: expect.stringMatching(UUID),
      version: '8.5.0',
    });
    expect(info.restUrl).toMatch(/.+\/$/);
    const state = await service.get<Json>(`/versions/${versionId}/runs/${info.experimentRunId}/progress`);
    expect(ok(state).status).toBe('RUNNING');
  });
});

describe('5 Authentication', () => {
  test.each([
    ['no key', {}],
    ['another key', { Authorization: 'another' }],
  ])('a request with %s is refused', async (_, headers) => {
    const response = await fetch(`${running.url}/models`, { headers });
    expect(response.status).toBe(401);
  });
});

describe('9 Versioning', () => {
  test('the root contains the version of the interface, and the answer to a request for another version names the served version', async () => {
    expect(running.url).toMatch(/\/api\/open\/8\.5\.0$/);
    const response = await fetch(running.url.replace('8.5.0', '8.4.0') + '/models', {
      headers: { Authorization: KEY },
    });
    expect(response.status).toBe(404);
    expect(((await response.json()) as Json).message).toContain('8.5.0');
  });
});
