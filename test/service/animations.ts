import { expect } from '@jest/globals';
import type { AnimationInfo, ErrorBody, Run } from '../../src/api/resources.ts';
import type { FrameResource } from '../../src/service/animation/resource.ts';
import type { After } from '../../src/service/timers.ts';
import { until } from '../support/until.ts';
import { type Answer, type Requested, simulation, type TestService } from './support.ts';

export function startAnimation(
  service: Requested,
  version: string,
  inputs: Parameters<typeof simulation>[0] = {},
  experimentType = 'ANIMATION_SVG',
): Promise<Answer<AnimationInfo>> {
  return service.post(`/versions/${version}/runs/animation`, { ...simulation(inputs), experimentType });
}

/**
 * A client of a session. Like the clients of the original service, it builds the address from the answer to
 * `startAnimation`, and sends no key.
 */
export class RemoteSession {
  readonly address: string;

  constructor({ running }: Pick<TestService, 'running'>, { restUrl, sessionUuid }: AnimationInfo) {
    this.address = `${new URL(running.url).origin}/nodes/${restUrl}sessions/${sessionUuid}`;
  }

  async ask<T>(what: string, method = 'POST'): Promise<Answer<T>> {
    const { status, headers, body } = await this.raw(what, method);
    return { status, headers, body: JSON.parse(body) as T };
  }

  async raw(what: string, method = 'GET'): Promise<Answer<string>> {
    const response = await fetch(`${this.address}${what}`, { method, redirect: 'manual' });
    return { status: response.status, headers: response.headers, body: await response.text() };
  }

  /** Sends a body that the service should refuse. Returns the body of the answer. */
  async post(what: string, body: string): Promise<ErrorBody> {
    const response = await fetch(`${this.address}${what}`, { method: 'POST', body });
    return (await response.json()) as ErrorBody;
  }

  command(cmd: string, parameters = ''): Promise<Answer<unknown>> {
    return this.ask(`/command?cmd=${cmd}&parameters=${parameters}`);
  }

  async frame(): Promise<FrameResource> {
    const { status, body } = await this.ask<FrameResource>('/frame', 'GET');
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body;
  }

  /** Returns the state of the session. The answer is JSON in JSON in JSON, as the original service's clients expect. */
  async state(): Promise<unknown> {
    const { body } = await this.ask<string>('/get-state', 'GET');
    return JSON.parse(JSON.parse(body) as string) as unknown;
  }

  /** Requests pictures until one of them meets a condition. */
  async reach(what: string, is: (frame: FrameResource) => boolean): Promise<FrameResource> {
    return await until(what, async () => {
      const frame = await this.frame();
      return is(frame) && frame;
    });
  }

  /** Waits until the run is over, and returns its last frame. */
  async end(): Promise<FrameResource> {
    const going = ['RUNNING', 'PAUSED'];
    await until('the run is over', async () => !going.includes((await this.state()) as string));
    return await this.frame();
  }
}

/** A clock with timers. Its time changes only when the test calls `pass`. */
export class StandingClock {
  #now = 0;
  readonly #pending = new Set<{ due: number; callback: () => void }>();

  readonly after: After = (milliseconds, callback) => {
    const timer = { due: this.#now + milliseconds, callback };
    this.#pending.add(timer);
    return () => this.#pending.delete(timer);
  };

  pass(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (;;) {
      const [next] = [...this.#pending].filter(({ due }) => due <= end).sort((a, b) => a.due - b.due);
      if (!next) break;
      this.#pending.delete(next);
      this.#now = next.due;
      next.callback();
    }
    this.#now = end;
  }
}

/** The source of a model with an animation. `scene` is the body of the function that makes the scene. */
export function drawn(name: string, scene: string): string {
  return `export default {
    name: '${name}', description: '', inputs: [{ name: 'N', type: 'INTEGER', default: 1 }],
    outputs: [{ name: 'Out', type: 'INTEGER' }], run: ({ inputs }) => ({ Out: inputs.N }),
    animation: { width: 40, height: 30, units: 'HOUR', speed: 3, start({ inputs }) { ${scene} } },
  };`;
}

/** The source of a scene with one circle. */
export const CIRCLE = `return {
  end: 60, advance() {}, draw: () => '<circle r="9"/>', outputs: () => ({ Out: inputs.N }),
};`;

/** Starts an animated run, and returns its session. */
export async function startSession(
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
