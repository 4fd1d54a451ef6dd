import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { modelAttribute, ownerAttribute, phaseAttribute } from '../../src/workflows/search-attributes.ts';
import { findGoProgram } from './go-program.ts';
import { ownPort } from './own-port.ts';
import type { TemporalProcess } from './temporal.ts';
import { until } from './until.ts';

/** The version of the server in docker-compose.yml. */
const VERSION = '1.32.0';
const KEYWORD = 2;

/** The path of Temporal's server for production. FORAY_TEMPORAL_SERVER may give the path. */
async function findTemporalServer(): Promise<string> {
  return findGoProgram({
    what: "Temporal's server",
    goPackage: `go.temporal.io/server/cmd/server@v${VERSION}`,
    cachedAs: `temporal-server-${VERSION}`,
    named: process.env.FORAY_TEMPORAL_SERVER,
  });
}

/** Temporal's server for production with an SQLite database in memory, its namespace and its search attributes. */
export async function productionServer(
  dynamicConfig: Readonly<Record<string, unknown>> = {},
): Promise<TemporalProcess> {
  const program = await findTemporalServer();
  const folder = mkdtempSync(join(tmpdir(), 'foray-temporal-'));
  const ports: number[] = [];
  for (let index = 0; index < 8; index += 1) ports.push(await ownPort());
  const [grpc = 0] = ports;
  const address = `127.0.0.1:${grpc}`;
  const service = (at: number) => ({
    rpc: { grpcPort: ports[at], membershipPort: ports[at + 1], bindOnLocalHost: true },
  });
  const sql = {
    pluginName: 'sqlite',
    databaseName: 'default',
    connectAddr: 'localhost',
    connectProtocol: 'tcp',
    connectAttributes: { mode: 'memory', cache: 'private' },
    maxConns: 1,
    maxIdleConns: 1,
    maxConnLifetime: '1h',
  };
  const dynamic = join(folder, 'dynamic.yaml');
  const settings = {
    'matching.enableFairness': true,
    'system.forceSearchAttributesCacheRefreshOnRead': true,
    ...dynamicConfig,
  };
  writeFileSync(
    dynamic,
    JSON.stringify(Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, [{ value }]]))),
  );
  const file = join(folder, 'server.yaml');
  writeFileSync(
    file,
    JSON.stringify({
      log: { stdout: true, level: 'error' },
      persistence: {
        defaultStore: 'default',
        visibilityStore: 'visibility',
        numHistoryShards: 1,
        datastores: { default: { sql }, visibility: { sql } },
      },
      global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
      services: { frontend: service(0), matching: service(2), history: service(4), worker: service(6) },
      clusterMetadata: {
        enableGlobalNamespace: false,
        failoverVersionIncrement: 10,
        masterClusterName: 'active',
        currentClusterName: 'active',
        clusterInformation: {
          active: { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: address },
        },
      },
      dcRedirectionPolicy: { policy: 'noop' },
      dynamicConfigClient: { filepath: dynamic, pollInterval: '10s' },
    }),
  );
  let child: ChildProcess | undefined;
  const hasEnded = (): boolean => !child || child.exitCode !== null || child.signalCode !== null;
  return {
    address,
    async start() {
      child = spawn(program, ['--config-file', file, '--allow-no-auth', 'start'], { stdio: 'ignore' });
      await until('the server has its namespace and search attributes', async () => {
        if (hasEnded()) throw new Error(`Temporal at ${address} ended during its start`);
        return prepare(address).catch(() => false);
      });
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
    async kill() {
      if (child && !hasEnded()) {
        const exited = once(child, 'exit');
        child.kill('SIGKILL');
        await exited;
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const namespace = 'default';

/** Makes what a development server has from its start. Returns whether all of it is there. */
async function prepare(address: string): Promise<boolean> {
  const connection = await Connection.connect({ address, connectTimeout: 1_000 });
  try {
    return await connection.withDeadline(Date.now() + 5_000, async () => {
      const { workflowService, operatorService } = connection;
      const isThere = await workflowService.describeNamespace({ namespace }).then(
        () => true,
        () => false,
      );
      if (!isThere) {
        const workflowExecutionRetentionPeriod = { seconds: 86_400 as never };
        await workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod });
        return false;
      }
      const names = [modelAttribute, phaseAttribute, ownerAttribute].map(({ name }) => name);
      const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
      if (names.every((name) => customAttributes[name] !== undefined)) return true;
      const searchAttributes = Object.fromEntries(names.map((name) => [name, KEYWORD]));
      await operatorService.addSearchAttributes({ namespace, searchAttributes });
      return false;
    });
  } finally {
    await connection.close();
  }
}

// `npx node test/support/temporal-server.ts` builds the program for .ci/run
if (import.meta.main) await findTemporalServer();
