import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from '@jest/globals';
import { expectOutputsOfDrawn } from '../drawing.ts';
import { erlangC, expectMeans, zOf } from '../kernel/support.ts';
import { fingerprint, type Inputs, outputsOf, sceneOf } from './support.ts';

const replications = (inputs: Inputs, count = 12) =>
  Array.from({ length: count }, (_, i) => outputsOf({ ...inputs, '{RANDOM_SEED}': BigInt(i + 1) }));

describe('the figures of the model', () => {
  test.each([
    { servers: 8, rate: 7, service: 1, stop: 2_000 },
    { servers: 1, rate: 0.6, service: 1.2, stop: 20_000 },
    { servers: 3, rate: 25, service: 0.1, stop: 1_000 },
  ])(
    'agree with Erlang C for $servers servers and $rate customers a minute',
    ({ servers, rate, service, stop }) => {
      const load = rate * service;
      const queue = (erlangC(servers, load) * load) / (servers - load);
      const runs = replications({
        '{STOP_TIME}': stop,
        'Server capacity': servers,
        'Arrival rate': rate,
        'Mean service time': service,
      });
      expectMeans(
        {
          'Server utilization': load / servers,
          'Mean queue size': queue,
          'Mean waiting time': queue / rate,
          'Customers served': rate * (stop - 100),
        },
        runs as unknown as Record<string, number>[],
      );
      for (const run of runs) {
        expect(run['Queue size'].mean).toBe(run['Mean queue size']);
        expect(run['Time in system'].statistics.count).toBe(run['Customers served']);
      }
    },
  );

  test('the time in the system of M/M/1 has an exponential distribution', () => {
    const runs = replications({ 'Server capacity': 1, 'Arrival rate': 0.5, '{STOP_TIME}': 20_000 });
    const shares = runs.map(({ 'Time in system': { hits, statistics } }) =>
      hits.slice(0, 8).reduce((sum, count) => sum + count / statistics.count, 0),
    );
    // eight intervals are two minutes; the rate of the distribution is the service rate minus the arrival rate
    expect(Math.abs(zOf(shares, 1 - Math.exp(-0.5 * 2)))).toBeLessThan(4);
    const [first] = runs;
    const { hits, hitsOutLow, hitsOutHigh, statistics } = first!['Time in system'];
    expect(hitsOutLow + hitsOutHigh + hits.reduce((sum, count) => sum + count, 0)).toBe(statistics.count);
  });

  test('the queue of an overloaded system grows at the arrival rate minus the service rate', () => {
    const runs = replications({ 'Server capacity': 6, 'Arrival rate': 9 }, 20);
    const waiting = runs.map((run) => run['Queue|Waiting'].dataY.at(-1)!);
    expect(Math.abs(zOf(waiting, (9 - 6) * 1_000))).toBeLessThan(4);
    for (const run of runs) expect(run['Server utilization']).toBeGreaterThan(0.999);
  });

  test('the chart shows the whole run with 501 points, and customers wait only while all servers are busy', () => {
    for (const [start, stop] of [
      [0, 150],
      [-50, 3_000],
    ] as const) {
      const run = outputsOf({ '{START_TIME}': start, '{STOP_TIME}': stop });
      const [waiting, inService] = [run['Queue|Waiting'], run['Queue|In service']];
      expect([waiting.dataX.length, waiting.dataX[0], waiting.dataX.at(-1)]).toEqual([501, start, stop]);
      expect(inService.dataX).toEqual(waiting.dataX);
      for (const [i, busy] of inService.dataY.entries()) {
        expect(busy === 8 || waiting.dataY[i] === 0).toBe(true);
      }
    }
  });

  test('the number of arrivals does not depend on the servers, and each customer is served or still in the system', () => {
    const came = [1, 8, 100].flatMap((servers) =>
      [0.2, 1].map((service) => {
        const run = outputsOf({
          'Server capacity': servers,
          'Mean service time': service,
          'Warm-up time': 0,
        });
        const there = run['Queue|Waiting'].dataY.at(-1)! + run['Queue|In service'].dataY.at(-1)!;
        return run['Customers served'] + there;
      }),
    );
    expect(new Set(came).size).toBe(1);
    expect(Math.abs(came[0]! - 7_000)).toBeLessThan(4 * Math.sqrt(7_000));
  });

  test('a run without customers has no statistics about customers', () => {
    const run = outputsOf({ 'Arrival rate': 0 });
    expect(run).toMatchObject({
      'Server utilization': 0,
      'Mean queue size': 0,
      'Mean waiting time': null,
      'Customers served': 0,
      'Time in system': { statistics: { count: 0, mean: null } },
    });
  });

  test('a run reports its progress up to the end', () => {
    const told: number[] = [];
    outputsOf({}, (fraction) => told.push(fraction));
    expect(told).toEqual([...told].sort((a, b) => a - b));
    expect([told.length, told.at(-1)]).toEqual([100, 1]);
  });
});

describe('the animation', () => {
  test('has the same outputs as a run, for any steps and any number of pictures', () => {
    const more = { 'Server capacity': 7 };
    expectOutputsOfDrawn(200, {
      sceneOf: (horizon) => sceneOf({ ...horizon, ...more }),
      outputsOf: (horizon) => outputsOf({ ...horizon, ...more }),
    });
  });

  test('shows waiting customers and busy servers, even if there are many', () => {
    for (const [inputs, shown] of [
      [{}, ['>8 of 8<', 'from minute 100 on']],
      [{ 'Server capacity': 3 }, ['>3 of 3<', /and [\d,]+ more/]],
      [{ 'Server capacity': 1_000, 'Arrival rate': 2_000 }, ['>1,000 of 1,000<', 'a box is 9 servers']],
      [{ 'Arrival rate': 0, 'Server capacity': 1 }, ['>0 of 1<', '–']],
    ] as const) {
      const scene = sceneOf({ ...inputs, '{STOP_TIME}': 120 });
      expect(scene.draw()).toContain('warming up');
      scene.advance(scene.end);
      const picture = scene.draw();
      for (const text of shown) expect(picture).toMatch(text);
      expect(picture).not.toMatch(/NaN|undefined|Infinity/);
    }
  });
});

describe('the same inputs give the same bytes', () => {
  const script = path.join(import.meta.dirname, 'fingerprint.ts');
  const here = fingerprint();

  test('in a second run; another seed and other inputs give other bytes', () => {
    expect(fingerprint()).toBe(here);
    expect(new Set(here.split('\n')).size).toBe(4);
  });

  test('in a thread', async () => {
    const worker = new Worker(script);
    const [there] = (await once(worker, 'message')) as [string];
    expect(there).toBe(here);
  });

  test('in another process', () => {
    expect(execFileSync(process.execPath, [script], { encoding: 'utf8' })).toBe(here);
  });
});
