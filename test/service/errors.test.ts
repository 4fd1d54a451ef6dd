import net from 'node:net';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { ErrorBody } from '../../src/api/resources.ts';
import { serviceErrors, type ServiceErrorCode } from '../../src/service/errors.ts';
import { KEY, reach, requestRun, simulation, startTestService } from './support.ts';

async function failure(url: string, init: RequestInit = {}): Promise<ErrorBody> {
  const response = await fetch(url, { headers: { Authorization: KEY }, ...init });
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  const body = ErrorBody.parse(await response.json());
  expect(body.status).toBe(response.status);
  expect(body.status).toBe(serviceErrors[body.code as ServiceErrorCode].status);
  expect(body.path).toBe(new URL(url).pathname);
  return body;
}

describe('the service', () => {
  test('answers unknown addresses, methods and interface versions with errors of the common shape', async () => {
    const { running } = await startTestService();
    const { origin } = new URL(running.url);
    expect((await failure(`${running.url}/nowhere?signature=x`)).code).toBe('UNKNOWN_ROUTE');
    expect((await failure(`${origin}/`)).code).toBe('UNKNOWN_ROUTE');
    expect((await failure(`${running.url}/models`, { method: 'DELETE' })).code).toBe('METHOD_NOT_ALLOWED');
    const older = await failure(`${origin}/api/open/8.3.0/models`);
    expect([older.code, older.message]).toEqual(['UNKNOWN_INTERFACE', expect.stringContaining('8.5.0')]);
    const broken = await fetch(`${running.url}/models/%zz`, { headers: { Authorization: KEY } });
    expect(ErrorBody.parse(await broken.json())).toMatchObject({ status: 400, code: 'BAD_REQUEST' });
  });

  test('answers wrong bodies with errors of the common shape, and names a wrong field', async () => {
    const service = await startTestService();
    const version = await service.latest('Rehearsal');
    const post = (body: string | Buffer<ArrayBuffer>, route = 'runs') =>
      failure(`${service.running.url}/versions/${version}/${route}`, { method: 'POST', body });
    expect((await post('{')).message).toContain('not JSON');
    expect((await post('')).code).toBe('INVALID_BODY');
    const latin1 = Buffer.from(
      '{"experimentType":"SIMULATION","inputs":[{"name":"Caf\u00e9","value":1}]}',
      'latin1',
    );
    expect(await post(latin1)).toMatchObject({ code: 'INVALID_BODY', message: 'The body is not UTF-8.' });
    expect((await post('[]')).code).toBe('INVALID_BODY');
    expect((await post('{"inputs":[]}')).message).toContain('experimentType');
    expect((await post('{"experimentType":"SIMULATION","inputs":[{"value":1}]}')).message).toContain(
      'inputs[0].name',
    );
    for (const value of ['null', '[1]', undefined]) {
      const item = `{"name":"N"${value === undefined ? '' : `,"value":${value}`}}`;
      expect((await post(`{"experimentType":"SIMULATION","inputs":[${item}]}`)).message).toBe(
        'The body is not as it should be: inputs[0].value (input "N"): a text, a number, true, false, or an object such as {"min":1,"max":6} is expected.',
      );
    }
    const results = JSON.stringify({ ...simulation({}), outputs: 'not json' });
    expect((await post(results, 'results')).message).toContain('outputs');
    expect((await post(JSON.stringify('x'.repeat(17 * 1024 * 1024)))).code).toBe('TOO_LARGE');
  });

  test('accepts a JSON body with another Content-Type or without a Content-Type', async () => {
    const service = await startTestService();
    const version = await service.latest('Rehearsal');
    for (const type of [undefined, 'text/plain', 'application/x-www-form-urlencoded']) {
      const response = await fetch(`${service.running.url}/versions/${version}/runs/`, {
        method: 'POST',
        headers: { Authorization: KEY, ...(type && { 'Content-Type': type }) },
        body: Buffer.from(JSON.stringify(simulation({ Seconds: 0 }))),
      });
      expect([type, response.status]).toEqual([type, 200]);
    }
  });

  test('gives no details of an internal error', async () => {
    const service = await startTestService();
    const version = await service.latest('Rehearsal');
    const { body: run } = await requestRun(service, version, { Seconds: 0 });
    await reach(service, run, 'COMPLETED');
    const db = new DatabaseSync(path.join(service.dataDir, 'service.db'));
    db.exec("UPDATE results SET outputs = 'torn'");
    db.close();
    const init = { method: 'POST', body: '[]' };
    const body = await failure(`${service.running.url}/versions/${version}/results/${run.id}`, init);
    expect(body).toMatchObject({ code: 'INTERNAL', message: 'The service has a fault; its log says more.' });
    expect(JSON.stringify(body)).not.toMatch(/torn|SyntaxError|\.ts/);
  });

  test('answers a request that is not HTTP with an error of the common shape', async () => {
    const { running } = await startTestService();
    const socket = net.connect(running.port, '127.0.0.1');
    socket.end('this is not HTTP\r\n\r\n');
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    const [head, body] = Buffer.concat(chunks).toString().split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 400 /);
    expect(ErrorBody.parse(JSON.parse(body!)).code).toBe('BAD_REQUEST');
  });
});
