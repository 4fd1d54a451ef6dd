import { describe, expect, test } from '@jest/globals';
import fc from '../../support/fast-check.ts';
import { Queue, Resource, Simulation } from '../../../models/kernel/index.ts';

test('a queue returns its items in the order in which they were added, like an array', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat()), { maxLength: 200 }), (steps) => {
      const queue = new Queue<number>();
      const model: number[] = [];
      for (const step of steps) {
        if (step === null) expect(queue.shift()).toBe(model.shift());
        else {
          queue.push(step);
          model.push(step);
        }
        expect([queue.length, queue.peek()]).toEqual([model.length, model[0]]);
      }
    }),
  );
});

describe('a resource', () => {
  /** A resource with two servers. One customer comes each minute, from minute 0 on, and is served for 3 minutes. */
  function twoServers() {
    const simulation = new Simulation();
    const resource = new Resource(simulation, 2);
    const begun: [customer: string, at: number][] = [];
    const begin = (customer: string): void => {
      begun.push([customer, simulation.now]);
      simulation.schedule(3, () => resource.release());
    };
    for (const [minute, customer] of ['ada', 'ben', 'cyd', 'dov'].entries()) {
      simulation.schedule(minute, () => resource.seize(begin, customer));
    }
    return { simulation, resource, begun };
  }

  test('serves at most one customer per server at the same time, in the order of arrival', () => {
    const { simulation, resource, begun } = twoServers();
    simulation.run(3.5);
    expect([resource.busy.value, resource.waiting.value]).toEqual([2, 1]);
    simulation.run();
    expect(begun).toEqual([
      ['ada', 0],
      ['ben', 1],
      ['cyd', 3],
      ['dov', 4],
    ]);
    expect([resource.busy.value, resource.waiting.value]).toEqual([0, 0]);
  });

  test('measures the busy servers, the waiting customers and the waiting times', () => {
    const { simulation, resource } = twoServers();
    simulation.run();
    expect(simulation.now).toBe(7);
    expect(resource.busy.mean).toBeCloseTo(12 / 7, 14);
    expect(resource.waiting.statistics()).toMatchObject({ min: 0, max: 1 });
    expect(resource.waiting.mean).toBeCloseTo(2 / 7, 14);
    expect(resource.waits.statistics()).toMatchObject({ count: 4, min: 0, max: 1, mean: 0.5 });
  });

  test('restarts its statistics with the servers that are busy and the customers who wait', () => {
    const { simulation, resource } = twoServers();
    simulation.run(3.5);
    resource.reset();
    expect([resource.busy.mean, resource.waiting.mean, resource.waits.mean]).toEqual([null, null, null]);
    simulation.run(4);
    expect([resource.busy.mean, resource.waiting.mean, resource.waits.mean]).toEqual([2, 1, 1]);
  });

  test('serves 20,000 customers who release their servers at once, in the order of arrival', () => {
    const simulation = new Simulation();
    const resource = new Resource(simulation, 2);
    const begun: number[] = [];
    const begin = (customer: number): void => {
      begun.push(customer);
      resource.release();
      // a customer who comes back waits behind the line
      if (customer === 0) resource.seize(begin, 20_000);
    };
    for (let server = 0; server < 2; server++) resource.seize(() => undefined);
    for (let customer = 0; customer < 20_000; customer++) resource.seize(begin, customer);
    resource.release();
    expect(begun).toEqual(Array.from({ length: 20_001 }, (_, customer) => customer));
    expect([resource.busy.value, resource.waiting.value, resource.waits.count]).toEqual([1, 0, 20_003]);
  });

  test('refuses invalid calls', () => {
    const simulation = new Simulation();
    for (const servers of [0, -1, 1.5, NaN]) {
      expect(() => new Resource(simulation, servers)).toThrow(`cannot have ${servers} servers`);
    }
    const resource = new Resource(simulation, 1);
    expect(() => resource.release()).toThrow('none was busy');
    expect(() => resource.seize(undefined as unknown as () => void)).toThrow('must be a function');
    expect(resource.busy.value).toBe(0);
  });
});
