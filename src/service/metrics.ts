import type Prometheus from 'prom-client';
import { serveBeside } from '../http/side-server.ts';
import type { ExecutorPool } from './executors/pool.ts';
import type { Executors } from './fleet/executors.ts';
import { problemCodes, type Problems } from './problems.ts';
import type { RunRepository } from './runs/repository.ts';
import { EMBEDDED } from './runs/unheld-runs.ts';
import { ENDS, type Tally } from './runs/tally.ts';

/** Upper bounds of the buckets of the histogram of request durations, in seconds. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5, 30];

/** The route label of requests to unknown addresses, so that clients cannot create labels. */
const NO_ROUTE = 'none';

export interface Measured {
  runs: RunRepository;
  pool: ExecutorPool;
  problems: Problems;
  /** Executors on other machines, if the service takes them. */
  executors: Executors | undefined;
}

/** The counts of the tally that Prometheus gets as counters without labels. They are 0 when the service starts. */
const COUNTERS = {
  claims: ['foray_claims_total', 'Claims of executors, including claims that found no run'],
  claimed: ['foray_runs_claimed_total', 'Runs that executors have claimed'],
  reports: ['foray_reports_total', 'Reports of executors about how executions have ended'],
  lost: ['foray_runs_lost_total', 'Runs whose executor was lost'],
  repeated: ['foray_executions_repeated_total', 'Runs whose execution was lost and began again'],
} as const satisfies Partial<Record<keyof Tally, readonly [name: string, help: string]>>;

/** An answered request. `route` is the pattern, not the path; undefined for an unknown address. */
export interface Answered {
  method: string;
  route: string | undefined;
  status: number;
  milliseconds: number;
}

export interface MetricsEndpoint {
  url: string;
  note: (answered: Answered) => void;
  close(): Promise<void>;
}

/**
 * Serves metrics as text for Prometheus. The metrics have their own port, so a proxy for the port of the service does
 * not forward them. Their path is `/metrics`, and they need no key. Labels contain no keys, and no names of users,
 * models and files.
 *
 * @throws ForayError PORT_IN_USE
 */
export async function serveMetrics(
  { host, port }: { host: string; port: number },
  measured: Measured,
): Promise<MetricsEndpoint> {
  // loaded only if metrics are served; the bundle of the package has it only as the default export
  const { default: prometheus } = await import('prom-client');
  const registry = new prometheus.Registry();
  prometheus.collectDefaultMetrics({ register: registry });
  addRunMetrics(prometheus, registry, measured);
  const durations = new prometheus.Histogram({
    name: 'foray_http_request_duration_seconds',
    help: 'Durations of requests to the model service',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers: [registry],
  });

  const server = await serveBeside({ host, port }, '--metrics', {
    // if one value cannot be read, the whole request fails: without the database, most values are unknown
    '/metrics': async () => ({ status: 200, type: registry.contentType, text: await registry.metrics() }),
  });
  return {
    url: `${server.url}/metrics`,
    note: ({ method, route = NO_ROUTE, status, milliseconds }) =>
      durations.observe({ method: route === NO_ROUTE ? '' : method, route, status }, milliseconds / 1_000),
    close: () => server.close(),
  };
}

/** All values are read when a client requests them. */
function addRunMetrics(
  { Counter, Gauge }: typeof Prometheus,
  registry: Prometheus.Registry,
  { runs, pool, problems, executors }: Measured,
): void {
  const registers = [registry];
  new Gauge({
    name: 'foray_runs_queued',
    help: 'Runs that wait for an executor',
    registers,
    async collect() {
      this.set((await runs.counts()).fresh);
    },
  });
  new Gauge({
    name: 'foray_runs_running',
    help: 'Runs that execute',
    registers,
    async collect() {
      this.set((await runs.counts()).running);
    },
  });
  new Gauge({
    name: 'foray_slots',
    help: 'The most runs that the service itself executes at once',
    registers,
    collect() {
      this.set(pool.size);
    },
  });
  if (executors) {
    new Gauge({
      name: 'foray_executors',
      help: 'Executors on other machines, by state: able executors take runs, faulty executors take none',
      labelNames: ['state'],
      registers,
      async collect() {
        const { able, faulty } = await executors.present();
        this.set({ state: 'able' }, able.length);
        this.set({ state: 'faulty' }, faulty.length);
      },
    });
    new Gauge({
      name: 'foray_executor_slots',
      help: 'The most runs that able executors on other machines execute at once',
      registers,
      async collect() {
        const { able } = await executors.present();
        this.set(able.reduce((sum, { slots }) => sum + slots, 0));
      },
    });
    new Gauge({
      name: 'foray_lanes',
      help: 'Open lanes; in each lane, an executor on another machine works',
      registers,
      async collect() {
        this.set((await runs.holders.openExcept(EMBEDDED)).length);
      },
    });
  }
  new Counter({
    name: 'foray_runs_ended_total',
    help: 'Runs that have ended since the service started, by how they ended',
    labelNames: ['end'],
    registers,
    collect() {
      this.reset();
      for (const end of ENDS) this.inc({ end: end.toLowerCase() }, runs.tally.ended[end]);
    },
  });
  for (const [count, [name, help]] of Object.entries(COUNTERS)) {
    new Counter({
      name,
      help: `${help}, since the service started`,
      registers,
      collect() {
        this.reset();
        this.inc(runs.tally[count as keyof typeof COUNTERS]);
      },
    });
  }
  new Gauge({
    name: 'foray_problems',
    help: 'Current problems of the service, as in /health, by code',
    labelNames: ['code'],
    registers,
    collect() {
      const codes = problems.health().problems.map(({ code }) => code);
      for (const code of Object.keys(problemCodes))
        this.set({ code }, codes.filter((one) => one === code).length);
    },
  });
}
