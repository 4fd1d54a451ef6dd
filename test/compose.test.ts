import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { API_VERSION } from '../src/api/index.ts';

// No engine is here, so the installation is checked as text.

interface Service {
  image: string;
  build?: string;
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  volumes?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[]; interval: string; timeout: string; retries: number };
  restart: string;
}

const root = join(import.meta.dirname, '..');
const read = (name: string) => readFileSync(join(root, name), 'utf8');
const compose = parse(read('docker-compose.yml'), { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
};
const services = Object.entries(compose.services);
const { postgres, temporal, 'temporal-ui': ui, service, worker } = compose.services;

describe('docker-compose.yml', () => {
  test('has the parts of an installation', () => {
    expect(Object.keys(compose.services)).toEqual([
      'postgres',
      'temporal',
      'temporal-ui',
      'service',
      'worker',
    ]);
  });

  test.each(services)('%s: a pinned image, restarted', (_name, { image, restart }) => {
    expect(image).toMatch(/^[a-z][a-z/-]*:\d+(\.\d+)+$/);
    expect(restart).toBe('unless-stopped');
  });

  test('images: Temporal and its Web UI as the design pins them; ours is built here, as the package says', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(temporal!.image).toBe('temporalio/auto-setup:1.29.1');
    expect(ui!.image).toBe('temporalio/ui:2.42.1');
    for (const { image, build } of [service!, worker!]) {
      expect([image, build]).toEqual([`foray:${version}`, '.']);
    }
  });

  test('ports are reachable from this machine only', () => {
    const ports = services.flatMap(([, { ports = [] }]) => ports);
    expect(ports.toSorted()).toEqual(['127.0.0.1:7233:7233', '127.0.0.1:8080:8080', '127.0.0.1:8090:8090']);
  });

  test('what lasts lies in named volumes, all of them declared and used', () => {
    const used = services.flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(':')[0]!));
    expect(used.toSorted()).toEqual(Object.keys(compose.volumes).toSorted());
    expect(postgres!.volumes).toEqual(['postgres:/var/lib/postgresql/data']);
    expect(service!.volumes).toEqual(['service:/data']);
    expect(worker!.volumes).toEqual(['store:/store']);
  });

  test('health checks', () => {
    const checks = services.flatMap(([name, { healthcheck }]) =>
      healthcheck ? [[name, healthcheck] as const] : [],
    );
    expect(checks.map(([name]) => name)).toEqual(['postgres', 'temporal', 'service']);
    for (const [, check] of checks) {
      expect(check.test[0]).toMatch(/^CMD(-SHELL)?$/);
      expect([check.interval, check.timeout, check.retries]).toEqual(['5s', '5s', expect.any(Number)]);
    }
    expect(service!.healthcheck!.test[3]).toContain('http://127.0.0.1:8090/health');
  });

  test("the service's health check is a program that fails while nobody answers", () => {
    const [, , flag, program] = service!.healthcheck!.test;
    expect(() =>
      execFileSync(process.execPath, [flag!, program!.replace('8090', '1')], { stdio: 'pipe' }),
    ).toThrow();
  });

  test('who waits for whom: each is there and can tell', () => {
    const needs = services.map(([name, { depends_on = {} }]) => [name, Object.keys(depends_on)]);
    expect(Object.fromEntries(needs)).toEqual({
      postgres: [],
      temporal: ['postgres'],
      'temporal-ui': ['temporal'],
      service: [],
      worker: ['temporal', 'service'],
    });
    for (const [, { depends_on = {} }] of services) {
      for (const [name, { condition }] of Object.entries(depends_on)) {
        expect(condition).toBe('service_healthy');
        expect(compose.services[name]!.healthcheck).toBeDefined();
      }
    }
  });

  test('commands are of the command line that there is', () => {
    const main = ['node', 'src/cli/main.ts'];
    expect(service!.command).toEqual([
      ...main,
      ...['service', '--host', '0.0.0.0', '--port', '8090', '--data', '/data'],
    ]);
    expect(worker!.command).toEqual([...main, 'worker']);
  });

  test('the worker finds the others; the key is not in the file', () => {
    expect(worker!.environment).toMatchObject({
      TEMPORAL_ADDRESS: 'temporal:7233',
      FORAY_SERVICE_URL: `http://service:8090/api/open/${API_VERSION}`,
      FORAY_STORE: 'sqlite:/store/foray.db',
    });
    for (const { environment } of [service!, worker!]) {
      expect(environment!.FORAY_API_KEY).toMatch(/^\$\{FORAY_API_KEY:\?.+\}$/);
    }
    expect(temporal!.environment!.POSTGRES_PWD).toBe(postgres!.environment!.POSTGRES_PASSWORD);
    expect(temporal!.environment!.POSTGRES_SEEDS).toBe('postgres');
  });
});

describe('Dockerfile', () => {
  const lines = read('Dockerfile').split('\n');
  const all = (instruction: string) =>
    lines.flatMap((line) => (line.startsWith(`${instruction} `) ? [line.slice(instruction.length + 1)] : []));

  test('Node 24, no development dependencies, not as root', () => {
    expect(all('FROM')).toEqual(['node:24-slim']);
    expect(all('RUN')[0]).toContain('npm ci --omit=dev');
    expect(all('USER')).toEqual(['node']);
    expect(JSON.parse(all('CMD')[0]!)).toEqual(['node', 'src/cli/main.ts', 'worker']);
  });

  test('the folders of the volumes are the user’s', () => {
    expect(all('RUN').at(-1)).toBe('mkdir /data /store && chown node:node /data /store');
  });

  test('copies what there is and what .dockerignore lets in', () => {
    const copied = all('COPY').flatMap((line) => line.split(' ').slice(0, -1));
    const letIn = read('.dockerignore')
      .split('\n')
      .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
    expect(copied.toSorted()).toEqual(letIn.toSorted());
    for (const name of copied) expect([name, existsSync(join(root, name))]).toEqual([name, true]);
  });
});
