import { expect, test } from '@jest/globals';
import { Faults } from '../../src/service/remote-executor/faults.ts';
import { type FleetClient, ServiceFault } from '../../src/service/remote-executor/fleet-client.ts';
import { LaneWork } from '../../src/service/remote-executor/lane-work.ts';
import type { RemoteMaterials } from '../../src/service/remote-executor/materials.ts';
import type { Pool } from '../../src/service/runs/dispatcher.ts';

/**
 * Executes one run in a lane of a service that does not accept beats. Resolves when the lane has ended, with the number
 * of beats and the runs that were stopped.
 *
 * @param fault - the error of each beat
 * @param served - whether a service works for the lane, at each beat in turn; the last value also counts afterwards
 * @param beats - the lane is told to leave at this beat
 */
async function laneWith(fault: ServiceFault, served: readonly boolean[], beats: number) {
  let [beat, claims, asked] = [0, 0, 0];
  const stopped: string[] = [];
  const leaving = new AbortController();
  const never = new AbortController().signal;
  const client = {
    claim: () =>
      Promise.resolve((claims += 1) === 1 ? [{ id: 'run', versionId: 'version', inputs: {} }] : []),
    beat: () => {
      if ((beat += 1) === beats) leaving.abort();
      return Promise.reject(fault);
    },
  };
  const materials = {
    isFull: () => false,
    refuses: () => false,
    unwanted: () => [],
    jobOf: () => ({}),
  };
  const pool: Pool = {
    size: 1,
    room: () => 1,
    // the run does not end by itself
    execute: () => new Promise(() => {}),
    stop: (runId) => Promise.resolve(void stopped.push(runId)),
    whenRoom: () => {},
  };
  await new LaneWork({
    client: client as unknown as FleetClient,
    holder: 'lane/execution',
    has: [],
    pool,
    materials: materials as unknown as RemoteMaterials,
    faults: new Faults(() => 0),
    draining: never,
    leaving: leaving.signal,
    cancelled: never,
    // less than the time between two beats
    heartbeat: 500,
    isServed: () => Promise.resolve(served[Math.min((asked += 1), served.length) - 1]!),
    hasTime: () => true,
    onHeld: () => {},
    onExecuted: () => {},
    onFault: () => {},
  }).run();
  return { beat, stopped };
}

const silence = new ServiceFault('the service does not answer');

test('an executor keeps its run while no service works, and gives it up when a service works that it does not reach', async () => {
  const { beat, stopped } = await laneWith(silence, [false, true, false, true], 10);
  // the fourth beat is the first of those that count, because no service worked at the third
  expect(beat).toBeGreaterThanOrEqual(5);
  expect(beat).toBeLessThan(10);
  expect(stopped).toEqual(['run']);
});

test('an executor keeps its run while the service answers with an error of its own', async () => {
  const busy = new ServiceFault('the database cannot be reached', 'UNAVAILABLE');
  expect((await laneWith(busy, [true], 3)).beat).toBe(3);
});
