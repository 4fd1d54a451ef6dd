import { PassThrough } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import { type ErrorBody, type Outputs } from '../../src/api/resources.ts';
import { drawn, RemoteSession, startSession } from './animations.ts';
import {
  SHIPPED_MODELS,
  messageIn,
  outputsOf,
  reach,
  startTestService,
  stateOf,
  temporaryFolder,
  until,
  writeModel,
} from './support.ts';

describe('a session', () => {
  test('can be paused and resumed, and has the speed that a command sets', async () => {
    const service = await startTestService();
    const { session, run } = await startSession(service, 'Rehearsal', { Seconds: 1e6 });
    expect(await session.state()).toBe('RUNNING');
    await session.reach('time has passed', ({ time }) => time > 0);

    expect((await session.command('pause')).body).toBeNull();
    const held = await session.frame();
    expect(held).toMatchObject({
      status: 'PAUSED',
      end: 1e6,
      units: 'SECOND',
      model: 'Rehearsal',
      reason: null,
    });
    expect(await session.state()).toBe('PAUSED');
    expect((await stateOf(service, run)).status).toBe('RUNNING');
    await session.command('setspeed', '5000');
    for (let n = 0; n < 20; n++) expect(await session.frame()).toEqual({ ...held, speed: 5000 });

    expect((await session.command('run')).body).toBeNull();
    // at its native speed, the run would need 1000 seconds to reach this time
    const later = await session.reach('a much later time', ({ time }) => time > held.time + 1000);
    expect(later).toMatchObject({ status: 'RUNNING', speed: 5000, nativeSpeed: 1 });
    const far = await until(async () => {
      const { total } = messageIn(await stateOf(service, run));
      return total > 0 ? total : undefined;
    }, 'progress');
    expect(far).toBeLessThan(100);
  });

  test('never goes back in time and never moves while it is paused, for any sequence of commands', async () => {
    const service = await startTestService();
    const { session } = await startSession(service, 'Rehearsal', { Seconds: 1e9 });
    const command = fc.oneof(
      fc.constantFrom(['pause', ''] as const, ['run', ''] as const),
      fc.double({ min: 0.001, max: 1e4, noNaN: true }).map((speed) => ['setspeed', String(speed)] as const),
    );
    let last = await session.frame();
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 12 }), async (commands) => {
        for (const [cmd, parameters] of commands) {
          await session.command(cmd, parameters);
          const frame = await session.frame();
          if (cmd === 'pause') expect(frame.status).toBe('PAUSED');
          if (cmd === 'run') expect(frame.status).toBe('RUNNING');
          if (cmd === 'setspeed') expect(frame.speed).toBe(Number(parameters));
          const stood = last.status === 'PAUSED' && frame.status === 'PAUSED';
          if (stood) expect(frame).toMatchObject({ time: last.time, svg: last.svg });
          expect(frame.time).toBeGreaterThanOrEqual(last.time);
          last = frame;
        }
      }),
      { numRuns: 25 },
    );
  });

  test('that is stopped ends its run, and continues to show the last picture', async () => {
    const service = await startTestService();
    const { session, run } = await startSession(service, 'Rehearsal', { Seconds: 500 });
    const stopped = await session.ask('/stop');
    expect([stopped.status, stopped.body]).toEqual([200, null]);
    const state = await stateOf(service, run);
    expect([state.status, messageIn(state).title]).toEqual(['STOPPED', null]);
    const frame = await session.frame();
    expect(frame).toMatchObject({ status: 'STOPPED', reason: null });
    for (const command of ['pause', 'run']) expect((await session.command(command)).status).toBe(200);
    expect((await session.ask('/stop')).body).toBeNull();
    expect(await session.frame()).toEqual(frame);
    expect(await session.state()).toBe('STOPPED');
    expect((await service.post(`/versions/${run.modelVersionId}/results/${run.id}`, [])).status).toBe(404);
  });

  test('that reaches the end completes its run with the same outputs as a run without animation', async () => {
    const service = await startTestService({ modelDirs: [SHIPPED_MODELS] });
    const inputs = { Stochastic: true, Days: 40, '{RANDOM_SEED}': 7 };
    const { session, run } = await startSession(service, 'Epidemic', inputs);
    await session.command('setspeed', 'Infinity');
    expect(await session.frame()).toMatchObject({ speed: 'Infinity' });
    expect((await session.end()).status).toBe('COMPLETED');
    expect(await session.state()).toBe('FINISHED');
    const state = await stateOf(service, run);
    expect([state.status, messageIn(state).total]).toEqual(['COMPLETED', 100]);
    const { body } = await service.post<Outputs>(`/versions/${run.modelVersionId}/results/${run.id}`, []);
    const expected = await outputsOf(service, run.modelVersionId, inputs);
    expect(new Map(body.map(({ outputs, value }) => [outputs[0]!.name, value]))).toEqual(expected);
  });

  test('whose model fails gives a failed run with the reason', async () => {
    const service = await startTestService();
    const { session, run } = await startSession(service, 'Rehearsal', { Seconds: 0.2, Fail: true });
    const { status, reason } = await session.end();
    expect([status, reason]).toEqual(['FAILED', 'Rehearsal was told to fail']);
    expect(await session.state()).toBe('ERROR');
    expect(messageIn(await reach(service, run, 'FAILED')).title).toBe(reason);
  });

  test('whose model hangs can be stopped at once, and then answers the waiting request for a picture', async () => {
    const folder = temporaryFolder();
    // the model hangs from its second picture on
    const scene = `let drawn = false; return {
      end: 60, advance() {}, outputs: () => ({ Out: 1 }),
      draw() { while (drawn); drawn = true; return '<circle r="9"/>'; },
    };`;
    writeModel(folder, 'hangs', drawn('Hangs', scene));
    const service = await startTestService({ modelDirs: [folder] });
    const { session, run } = await startSession(service, 'Hangs');
    const waiting = session.frame();
    await session.ask('/stop');
    expect(await waiting).toMatchObject({ status: 'STOPPED', time: 0 });
    expect((await stateOf(service, run)).status).toBe('STOPPED');
  });

  test('refuses an unknown view area, invalid speeds and a request without a command', async () => {
    const service = await startTestService();
    const { session } = await startSession(service, 'Rehearsal', { Seconds: 500 });
    for (const [command, parameters] of [
      ['navigateto', 'top'],
      ['setspeed', ''],
      ['setspeed', '0'],
      ['setspeed', '-1'],
      ['setspeed', 'fast'],
    ] as const) {
      const { status, body } = await session.command(command, parameters);
      expect([status, (body as ErrorBody).code]).toEqual([400, 'INVALID_QUERY']);
    }
    expect((await session.ask<ErrorBody>('/command')).body.code).toBe('INVALID_QUERY');
    expect((await session.frame()).speed).toBe(1);
  });

  test('answers pages of other hosts, and needs no key except its uuid, which the log never contains', async () => {
    const log = new PassThrough();
    const lines: string[] = [];
    log.setEncoding('utf8').on('data', (line: string) => lines.push(line));
    const service = await startTestService({ log });
    const { session, info } = await startSession(service, 'Rehearsal', { Seconds: 500 });
    for (const what of ['/frame', '/get-state', '/', '/standalone/standalone.bundle.js']) {
      const { status, headers } = await session.raw(what);
      expect([what, status, headers.get('access-control-allow-origin')]).toEqual([what, 200, '*']);
      expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual([
        'no-store',
        'no-referrer',
      ]);
    }
    // existing clients also send the key here, so browsers send a preflight request
    const asked = await fetch(`${session.address}/stop`, {
      method: 'OPTIONS',
      headers: {
        Origin: 'http://elsewhere.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization',
      },
    });
    expect([asked.status, asked.headers.get('access-control-allow-headers')]).toEqual([
      200,
      expect.stringContaining('Authorization'),
    ]);
    const other = { ...info, sessionUuid: info.experimentRunId };
    const { status, body } = await new RemoteSession(service, other).ask<ErrorBody>('/frame', 'GET');
    expect([status, body.code]).toEqual([404, 'UNKNOWN_SESSION']);
    await session.raw('/nowhere');
    await service.close();
    expect(lines.join('')).toContain('/nodes/*/sessions/*');
    expect(lines.join('')).not.toContain(info.sessionUuid);
  });
});
