import { PassThrough } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import fc from '../support/fast-check.ts';
import {
  AnimationInfo,
  type ErrorBody,
  type Model,
  type Outputs,
  type Run,
} from '../../src/api/resources.ts';
import { MOST_SESSIONS, RENDER_TIMEOUT } from '../../src/service/animation/sessions.ts';
import { RemoteSession, StandingClock, startAnimation } from './animations.ts';
import { killHard, startProcess } from './process.ts';
import {
  clientOf,
  messageIn,
  outputsOf,
  reach,
  requestRun,
  rows,
  startTestService,
  stateOf,
  temporaryFolder,
  type TestService,
  until,
  writeModel,
} from './support.ts';

/** A model with an animation of one's own; `scene` is the source of what makes the scene. */
function drawn(name: string, scene: string): string {
  return `export default {
    name: '${name}', description: '', inputs: [{ name: 'N', type: 'INTEGER', default: 1 }],
    outputs: [{ name: 'Out', type: 'INTEGER' }], run: ({ inputs }) => ({ Out: inputs.N }),
    animation: { width: 40, height: 30, units: 'HOUR', speed: 3, start({ inputs }) { ${scene} } },
  };`;
}

const CIRCLE = `return {
  end: 60, advance() {}, draw: () => '<circle r="9"/>', outputs: () => ({ Out: inputs.N }),
};`;

async function startSession(
  service: TestService,
  model: string,
  inputs: Parameters<typeof startAnimation>[2] = {},
): Promise<{ session: RemoteSession; info: AnimationInfo; run: Run }> {
  const version = await service.latest(model);
  const { status, body: info } = await startAnimation(service, version, inputs);
  expect([status, info]).toEqual([200, expect.anything()]);
  const run = { id: info.experimentRunId, modelVersionId: version } as Run;
  return { session: new RemoteSession(service, info), info, run };
}

describe('POST …/runs/animation', () => {
  test('answers as specified when the first picture is there', async () => {
    const service = await startTestService();
    const { info, session, run } = await startSession(service, 'Epidemic', { Days: 100 });
    const { body: model } = await service.post<Model>('/models/name/', 'Epidemic');
    expect(info).toEqual({
      animationHeight: 540,
      animationWidth: 960,
      animationSpeed: 1,
      experimentRunId: expect.any(String),
      modelUuid: model.id,
      sessionUuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      restUrl: `${info.sessionUuid}/`,
      version: '8.5.0',
      bundleUrl: session.address,
    });
    expect(AnimationInfo.parse(info)).toEqual(info);
    expect((await stateOf(service, run)).status).toBe('RUNNING');
    expect((await session.frame()).svg).toMatch(
      /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="0 0 960 540"/,
    );
  });

  test('every request has a run of its own, shared with nobody', async () => {
    const service = await startTestService();
    const version = await service.latest('Rehearsal');
    const ids = new Set<string>();
    for (const type of ['ANIMATION_SVG', 'ANIMATION_SVG', 'SIMULATION']) {
      const { body } = await startAnimation(service, version, { Seconds: 50 }, type);
      ids.add(body.experimentRunId).add(body.sessionUuid);
    }
    ids.add((await requestRun(service, version, { Seconds: 50 })).body.id);
    expect(ids.size).toBe(7);
  });

  test('refuses what cannot be animated, and says why', async () => {
    const folder = temporaryFolder();
    writeModel(folder, 'plain', drawn('Plain', CIRCLE).replace(/animation:.*};/s, '};'));
    writeModel(folder, 'drawn', drawn('Drawn', CIRCLE));
    const service = await startTestService({ modelDirs: [folder] });
    const [plain, version] = [await service.latest('Plain'), await service.latest('Drawn')];
    const refusal = async (
      ...[id, inputs, type]: [string, Parameters<typeof startAnimation>[2]?, string?]
    ) => {
      const { body } = await startAnimation(service, id, inputs, type);
      const { code, message } = body as unknown as ErrorBody;
      return [code, message];
    };
    expect(await refusal(plain)).toEqual(['UNSUPPORTED_EXPERIMENT', expect.stringContaining('"Plain"')]);
    expect(await refusal(version, {}, 'PARAMETER_VARIATION')).toEqual([
      'UNSUPPORTED_EXPERIMENT',
      expect.stringContaining('PARAMETER_VARIATION'),
    ]);
    expect(await refusal(version, { M: 1 })).toEqual(['UNKNOWN_INPUT', expect.stringContaining('"M"')]);
    expect(await refusal(version, { N: 1.5 })).toEqual(['INVALID_VALUE', expect.stringContaining('"N"')]);
    expect(await refusal('none')).toEqual(['UNKNOWN_VERSION', expect.anything()]);
    expect(rows(service.dataDir, 'SELECT * FROM runs')).toEqual([]);
  });

  test('a model that fails before its first picture is an error with the reason', async () => {
    const folder = temporaryFolder();
    const faults = {
      Throws: [`throw new Error('no such luck');`, 'no such luck'],
      Exits: [`process.exit(1);`, 'the model crashed: it ended its process'],
      Escapes: [
        `setTimeout(() => { throw new Error('later'); }); return new Promise(() => {});`,
        'the model crashed: later',
      ],
      Misdraws: [CIRCLE.replace(`'<circle r="9"/>'`, `{ throw new Error('no pencil'); }`), 'no pencil'],
      Erases: [
        CIRCLE.replace(`'<circle r="9"/>'`, 'undefined'),
        'the model drew undefined, which is not SVG text',
      ],
      Scrawls: [
        CIRCLE.replace(`'<circle r="9"/>'`, `'x'.repeat(5e6)`),
        'the model drew 5000000 characters, more than 4000000',
      ],
      Endless: [CIRCLE.replace('end: 60', 'end: Infinity'), 'the model gave its animation no end'],
    } as const;
    for (const [name, [scene]] of Object.entries(faults)) writeModel(folder, name, drawn(name, scene));
    const service = await startTestService({ modelDirs: [folder] });
    for (const [name, [, reason]] of Object.entries(faults)) {
      const { status, body } = await startAnimation(service, await service.latest(name));
      expect([status, (body as unknown as ErrorBody).code]).toEqual([422, 'ANIMATION_FAILED']);
      expect((body as unknown as ErrorBody).message).toContain(reason);
    }
    const stored = rows(service.dataDir, 'SELECT status, failure FROM runs ORDER BY seq');
    expect(stored).toEqual(Object.values(faults).map(([, failure]) => ({ status: 'FAILED', failure })));
  });

  test('takes only so many at once, and more when one has ended', async () => {
    const folder = temporaryFolder();
    writeModel(folder, 'drawn', drawn('Drawn', CIRCLE));
    const service = await startTestService({ modelDirs: [folder] });
    const { session } = await startSession(service, 'Drawn');
    const version = await service.latest('Drawn');
    const start = async () => (await startAnimation(service, version)).status;
    for (let n = 1; n < MOST_SESSIONS; n++) expect(await start()).toBe(200);
    expect(await start()).toBe(429);
    await session.ask('/stop');
    expect(await start()).toBe(200);
  });
});

describe('each shipped model', () => {
  test('can be animated', async () => {
    const service = await startTestService();
    const { body: models } = await service.get<Model[]>('/models');
    expect(models.length).toBeGreaterThanOrEqual(2);
    // so that they are not over before they are looked at
    const long: Record<string, Record<string, number>> = {
      Epidemic: { Days: 90 },
      Rehearsal: { Seconds: 90 },
    };
    for (const { name } of models) {
      const { session } = await startSession(service, name, long[name]);
      const first = await session.frame();
      await session.command('setspeed', 'Infinity');
      const last = await session.end();
      expect(last).toMatchObject({ status: 'COMPLETED', time: last.end });
      for (const { svg } of [first, last]) expect(svg).not.toMatch(/NaN|undefined|Infinity|<script|href=/);
      expect(last.svg).not.toBe(first.svg);
    }
  });
});

describe('a session', () => {
  test('is paused, goes on, and goes at the speed that is set', async () => {
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
    // in this many pictures it would not come so far at its own speed
    const later = await session.reach('time has flown', ({ time }) => time > held.time + 1000);
    expect(later).toMatchObject({ status: 'RUNNING', speed: 5000, nativeSpeed: 1 });
    const far = await until(async () => {
      const { total } = messageIn(await stateOf(service, run));
      return total > 0 ? total : undefined;
    }, 'progress');
    expect(far).toBeLessThan(100);
  });

  test('never goes back, and stands still while it is paused, however it is steered', async () => {
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

  test('that is stopped ends its run, and shows its last picture from then on', async () => {
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

  test('that reaches the end is a completed run with the outputs of a run that was not drawn', async () => {
    const service = await startTestService();
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

  test('whose model fails on its way is a failed run with the reason', async () => {
    const service = await startTestService();
    const { session, run } = await startSession(service, 'Rehearsal', { Seconds: 0.2, Fail: true });
    const { status, reason } = await session.end();
    expect([status, reason]).toEqual(['FAILED', 'Rehearsal was told to fail']);
    expect(await session.state()).toBe('ERROR');
    expect(messageIn(await reach(service, run, 'FAILED')).title).toBe(reason);
  });

  test('whose model hangs is stopped at once, and holds up nobody', async () => {
    const folder = temporaryFolder();
    // from its second picture on
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

  test('refuses commands that it does not know, and speeds that are none', async () => {
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

  test('is for browsers of other hosts too, needs no key, and is known by its uuid alone', async () => {
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
    // clients in the field send the key here, too, so their browsers ask first
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

describe('nobody renders', () => {
  test('a run ends after 300 seconds in which nobody looked, and says so', async () => {
    const clock = new StandingClock();
    const service = await startTestService({ after: clock.after });
    const { session, run } = await startSession(service, 'Rehearsal', { Seconds: 1e6 });
    clock.pass(299_000);
    await session.frame();
    clock.pass(RENDER_TIMEOUT - 1);
    expect((await stateOf(service, run)).status).toBe('RUNNING');
    // steering is not looking
    await session.command('pause');
    await session.state();
    clock.pass(1);
    const state = await stateOf(service, run);
    expect([state.status, messageIn(state).title]).toEqual(['STOPPED', 'nobody rendered it for 5 minutes']);
    expect(await session.frame()).toMatchObject({
      status: 'STOPPED',
      reason: 'nobody rendered it for 5 minutes',
    });
    clock.pass(RENDER_TIMEOUT);
    expect((await session.raw('/frame')).status).toBe(404);
  });

  test('a run that never starts ends, too, and the request is answered', async () => {
    const folder = temporaryFolder();
    writeModel(folder, 'hangs', drawn('Hangs', 'for (;;);'));
    const clock = new StandingClock();
    const service = await startTestService({ modelDirs: [folder], after: clock.after });
    const version = await service.latest('Hangs');
    const starting = startAnimation(service, version);
    await reachedRunning(service.dataDir);
    clock.pass(RENDER_TIMEOUT);
    const { status, body } = await starting;
    expect([status, (body as unknown as ErrorBody).message]).toEqual([
      422,
      expect.stringContaining('nobody rendered it for 5 minutes'),
    ]);
  });
});

describe('a restart of the service', () => {
  test('stops animated runs, whose sessions are gone, and runs others again', async () => {
    const dataDir = temporaryFolder();
    const first = await startProcess(dataDir);
    const client = clientOf(first.url);
    const version = await client.latest('Rehearsal');
    const { body: info } = await startAnimation(client, version, { Seconds: 500 });
    const { body: ordinary } = await requestRun(client, version, { Seconds: 500 });
    await reach(client, ordinary, 'RUNNING');
    await killHard(first.child);

    const service = await startTestService({ dataDir });
    const run = { ...ordinary, id: info.experimentRunId };
    const state = await stateOf(service, run);
    expect([state.status, messageIn(state).title]).toEqual(['STOPPED', 'the model service was restarted']);
    expect((await new RemoteSession(service, info).raw('/frame')).status).toBe(404);
    await reach(service, ordinary, 'RUNNING');

    const again = await startSession(service, 'Rehearsal', { Seconds: 500 });
    await service.close();
    const stored = rows(dataDir, `SELECT status, failure FROM runs WHERE id = '${again.run.id}'`);
    expect(stored).toEqual([{ status: 'STOPPED', failure: 'the model service was stopped' }]);
  });
});

describe('the page', () => {
  test('is served where the answer says, and may load and run only what the service serves', async () => {
    const service = await startTestService();
    const { session, info } = await startSession(service, 'Rehearsal', { Seconds: 500 });
    const bare = await session.raw('');
    expect([bare.status, bare.headers.get('location')]).toEqual([302, `${info.sessionUuid}/`]);
    const { headers, body } = await session.raw('/');
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    );
    expect(body).not.toMatch(/https?:|<style|<script>|style=|\son\w+=/);
    // what clients in the field put into a page of theirs
    for (const [asset, type] of [
      ['assets/svg-template.html', 'text/html'],
      ['standalone.bundle.js', 'text/javascript'],
      ['standalone.min.css', 'text/css'],
    ]) {
      const response = await session.raw(`/standalone/${asset}`);
      expect([asset, response.status, response.headers.get('content-type')]).toEqual([
        asset,
        200,
        `${type}; charset=utf-8`,
      ]);
    }
    const gone = new RemoteSession(service, { ...info, sessionUuid: 'none' });
    expect((await gone.raw('/')).status).toBe(404);
  });
});

async function reachedRunning(dataDir: string): Promise<void> {
  await until(() => rows(dataDir, `SELECT 1 FROM runs WHERE status = 'RUNNING'`)[0], 'the run to begin');
}
