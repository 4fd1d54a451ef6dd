import { describe, expect, test } from '@jest/globals';
import { AnimationInfo, type ErrorBody, type Model } from '../../src/api/resources.ts';
import {
  MOST_SESSIONS,
  RENDER_TIMEOUT,
  Sessions,
  type SessionsParts,
} from '../../src/service/animation/sessions.ts';
import { CIRCLE, drawn, RemoteSession, StandingClock, startAnimation, startSession } from './animations.ts';
import { killHard, startProcess } from './process.ts';
import {
  SHIPPED_MODELS,
  clientOf,
  messageIn,
  reach,
  requestRun,
  rows,
  startTestService,
  stateOf,
  temporaryFolder,
  until,
  writeModel,
} from './support.ts';

describe('POST …/runs/animation', () => {
  test('answers as specified when the first picture exists', async () => {
    const service = await startTestService({ modelDirs: [SHIPPED_MODELS] });
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

  test('starts a new run for every request, and no other request shares this run', async () => {
    const service = await startTestService();
    const version = await service.latest('Rehearsal');
    const ids = new Set<string>();
    for (const type of ['ANIMATION_SVG', 'ANIMATION_SVG', 'SIMULATION']) {
      const { body } = await startAnimation(service, version, { Seconds: 50 }, type);
      ids.add(body.experimentRunId).add(body.sessionUuid);
    }
    ids.add((await requestRun(service, version, { Seconds: 50 })).body.id);
    // three animated runs with their sessions, and the run without animation
    expect(ids.size).toBe(7);
  });

  test('refuses models without animation, other experiment types and wrong inputs, and gives the reason', async () => {
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

  test('answers with the reason and stores a failed run if the model fails before its first picture', async () => {
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

  test('answers 429 if there are too many animated runs, and starts another run when one of them has ended', async () => {
    const folder = temporaryFolder();
    // no run ends while the test starts all of them
    writeModel(folder, 'drawn', drawn('Drawn', CIRCLE.replace('end: 60', 'end: 1e6')));
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
    const service = await startTestService({ modelDirs: [SHIPPED_MODELS] });
    const { body: models } = await service.get<Model[]>('/models');
    expect(models.length).toBeGreaterThanOrEqual(2);
    // with these inputs, no run ends before the test requests the first picture
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

describe('without a viewer', () => {
  test('a run stops after 300 seconds, and its state and its picture give the reason', async () => {
    const clock = new StandingClock();
    const service = await startTestService({ after: clock.after });
    const { session, run } = await startSession(service, 'Rehearsal', { Seconds: 1e6 });
    clock.pass(299_000);
    await session.frame();
    clock.pass(RENDER_TIMEOUT - 1);
    expect((await stateOf(service, run)).status).toBe('RUNNING');
    // a command does not count as viewing the run
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

  test('a run whose model hangs before the first picture also ends, and the service answers the request', async () => {
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

describe('while the input files of animated runs are being fetched', () => {
  /** Sessions whose files arrive when the test releases them. */
  function sessionsWithSlowFiles() {
    const arrival = Promise.withResolvers<void>();
    const endings: object[] = [];
    let started = 0;
    const parts = {
      registry: {
        version: () => ({ id: 'version', animation: {}, experimentTemplate: {} }),
        model: () => ({ name: 'Drawn' }),
        codeOf: () => Promise.resolve({}),
      },
      runs: { startAnimated: () => Promise.resolve({ id: `run ${(started += 1)}` }) },
      files: { fetchInputs: () => arrival.promise, releaseInputs() {} },
      recorder: { record: (ending: object) => void endings.push(ending) },
    };
    return { sessions: new Sessions(parts as unknown as SessionsParts), arrival, endings };
  }

  test('the runs count as executing, and against the limit of animated runs', async () => {
    const { sessions, arrival } = sessionsWithSlowFiles();
    const start = () => sessions.start('version', { experimentType: 'SIMULATION', inputs: [] }, () => true);
    const starts = Array.from({ length: MOST_SESSIONS }, start);
    await until(() => sessions.executes('run 1') || undefined, 'a run to execute');
    await expect(start()).rejects.toMatchObject({ code: 'TOO_MANY_ANIMATIONS' });
    arrival.reject(new Error('the bucket does not answer'));
    const results = await Promise.allSettled(starts);
    expect(results.map(({ status }) => status)).toEqual(starts.map(() => 'rejected'));
    expect(sessions.executes('run 1')).toBe(false);
  });

  test('an end of the service stops the runs, and no process starts later', async () => {
    const { sessions, arrival, endings } = sessionsWithSlowFiles();
    const start = sessions.start('version', { experimentType: 'SIMULATION', inputs: [] }, () => true);
    await until(() => sessions.executes('run 1') || undefined, 'the run to execute');
    await sessions.close();
    arrival.resolve();
    await expect(start).rejects.toMatchObject({ code: 'ANIMATION_FAILED' });
    expect(endings).toEqual([{ runId: 'run 1', status: 'STOPPED', reason: 'the model service was stopped' }]);
  });
});

describe('a restart of the service', () => {
  test('stops animated runs, removes their sessions, and executes other runs again', async () => {
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

describe('the page of a session', () => {
  test('is at the address that the answer gives, and may load and run only files of the service', async () => {
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
    // existing clients load these files into their own pages
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
  await until(() => rows(dataDir, `SELECT 1 FROM runs WHERE status = 'RUNNING'`)[0], 'a run to be RUNNING');
}
