import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { API_VERSION } from '../src/api/index.ts';
import { serverSettings } from '../src/dev/temporal-cli.ts';

// These tests have no container engine. They check the parts that a later change could break without any other error.

interface Service {
  image: string;
  command?: string[];
  environment?: Record<string, string>;
  configs?: { source: string }[];
  ports?: string[];
  volumes?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  restart: string;
}

const root = join(import.meta.dirname, '..');
const read = (name: string) => readFileSync(join(root, name), 'utf8');
const { version } = JSON.parse(read('package.json')) as { version: string };
const compose = parse(read('docker-compose.yml'), { merge: true }) as {
  services: Record<string, Service>;
  configs: Record<string, { content: string }>;
  volumes: Record<string, unknown>;
};
const services = Object.entries(compose.services);
const { postgres, temporal, 'temporal-namespace': job, service, worker } = compose.services;

describe('docker-compose.yml', () => {
  test('our image has the version of the package', () => {
    expect([service!.image, worker!.image]).toEqual([`foray:${version}`, `foray:${version}`]);
  });

  test('ports are reachable from this machine only', () => {
    for (const port of services.flatMap(([, { ports = [] }]) => ports))
      expect(port).toMatch(/^127\.0\.0\.1:/);
  });

  test('each volume and each config is declared and used', () => {
    const volumes = services.flatMap(([, { volumes = [] }]) => volumes.map((one) => one.split(':')[0]!));
    const configs = services.flatMap(([, one]) => (one.configs ?? []).map(({ source }) => source));
    expect(volumes.toSorted()).toEqual(Object.keys(compose.volumes).toSorted());
    expect(configs.toSorted()).toEqual(Object.keys(compose.configs).toSorted());
  });

  test('each dependency waits until a service is ready, or until a job has completed', () => {
    const needs = services.flatMap(([, { depends_on = {} }]) => Object.entries(depends_on));
    for (const [name, { condition }] of needs) {
      const { healthcheck, restart } = compose.services[name]!;
      const isJob = restart === 'on-failure';
      expect(condition).toBe(isJob ? 'service_completed_successfully' : 'service_healthy');
      expect([name, healthcheck !== undefined]).toEqual([name, !isJob]);
    }
  });

  test('the health check of the model service fails while nothing listens on its port', () => {
    const [, , flag, program] = service!.healthcheck!.test;
    expect(() =>
      execFileSync(process.execPath, [flag!, program!.replace('8090', '1')], { stdio: 'pipe' }),
    ).toThrow();
  });

  test('the file contains neither passwords nor keys, and no default values of passwords and keys', () => {
    const secrets = [postgres, temporal, service, worker].flatMap((one) =>
      Object.entries(one!.environment!).filter(([name]) => /PASSWORD|PWD|KEY/.test(name)),
    );
    expect(secrets).toHaveLength(5);
    for (const [, value] of secrets) expect(value).toMatch(/^\$\{[A-Z_]+:\?.+\}$/);
  });

  test('the worker has the addresses of the other services', () => {
    expect(worker!.environment).toMatchObject({
      TEMPORAL_ADDRESS: 'temporal:7233',
      FORAY_SERVICE_URL: expect.stringMatching(`http://service:8090}/api/open/${API_VERSION}$`),
      FORAY_STORE: 'postgres://temporal@postgres/foray',
    });
    expect(compose.configs.databases!.content).toBe('CREATE DATABASE foray;');
  });

  test('Temporal has the settings that a development server gets', () => {
    const said = [...job!.command!, compose.configs.dynamicconfig!.content].join(' ');
    for (const setting of serverSettings.filter((one) => !one.startsWith('--')))
      expect(said).toContain(setting.split('=')[0]);
  });
});

describe('Dockerfile', () => {
  test('takes the packed file of this version, which .dockerignore does not exclude', () => {
    expect(read('Dockerfile')).toContain(`COPY foray-${version}.tgz `);
    expect(read('.dockerignore')).toContain(`!foray-${version}.tgz\n`);
  });
});
