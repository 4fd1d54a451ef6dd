import { expect } from '@jest/globals';
import type { Scene } from '../../src/service/models/model.ts';
import fc from '../support/fast-check.ts';

interface Horizon {
  '{START_TIME}': number;
  '{STOP_TIME}': number;
}

/**
 * Checks that an animated run of a model has the same outputs as a plain run, whatever the number and the times of the
 * pictures.
 *
 * @param length - the length of a run, in the model's unit of time
 */
export function expectOutputsOfDrawn(
  length: number,
  { sceneOf, outputsOf }: { sceneOf: (horizon: Horizon) => Scene; outputsOf: (horizon: Horizon) => unknown },
): void {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: length, noNaN: true }), { maxLength: 12 }),
      fc.constantFrom(-30.7, 0, 1e6 + 0.1),
      (times, start) => {
        const horizon = { '{START_TIME}': start, '{STOP_TIME}': start + length };
        const scene = sceneOf(horizon);
        for (const time of times.sort((a, b) => a - b)) {
          scene.advance(Math.min(time, scene.end));
          scene.draw();
        }
        scene.advance(scene.end);
        expect(JSON.stringify(scene.outputs())).toBe(JSON.stringify(outputsOf(horizon)));
      },
    ),
    { numRuns: 20 },
  );
}
