import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { cleanEnv, ROOT } from '../../support/cli.ts';
import { testFolder } from '../../support/test-folder.ts';

/** Code that prints the address of each module that Node loads afterwards, one address per line. */
const PRINT_MODULES = `
  import { registerHooks } from 'node:module';
  registerHooks({ load: (url, context, next) => { console.log(url); return next(url, context); } });`;

test('an executor starts without packages of node_modules, because packages would take most of the time of the start', () => {
  const program = `
    ${PRINT_MODULES}
    await import('./src/service/executors/runner.ts');`;
  const loaded = execFileSync(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(loaded).toContain('src/service/executors/runner.ts');
  expect(loaded).not.toContain('node_modules');
});

test('a command starts without the modules of other commands', () => {
  const loaded = loadedBy('campaign-ids');
  expect(loaded).toContain('src/cli/campaign-ids.ts');
  expect(loaded).not.toMatch(/src\/(cli\/(submit|report|worker)\.ts|client\/|report\/index)/);
});

test('a command that reads no definition starts without the schema of definitions', () => {
  const loaded = loadedBy('list', '--help');
  expect(loaded).toContain('src/client/client.ts');
  expect(loaded).not.toContain('src/campaign/definition.ts');
});

test('nothing of OpenTelemetry is loaded while traces are off', () => {
  const program = `
    ${PRINT_MODULES}
    for (const file of ['worker', 'src/cli/main', 'src/server/app', 'src/service/service'])
      await import(\`./\${file}.ts\`);
    for (const file of ['remote-executor/remote-executor', 'http/app', 'fleet/lane-keeper'])
      await import(\`./src/service/\${file}.ts\`);`;
  const args = ['--input-type=module', '--eval', program, 'foray', 'submit', '--help'];
  const modules = (env: NodeJS.ProcessEnv): string =>
    execFileSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', env: { ...cleanEnv(), ...env } });
  const off = modules({ OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' });
  expect(off).toContain('src/tracing.ts');
  expect(off).not.toMatch(/opentelemetry/);
  expect(modules({ OTEL_TRACES_EXPORTER: 'otlp' })).toMatch(/@opentelemetry\/sdk-trace-base/);
});

/** The modules that a command of foray loads, one module per line. */
function loadedBy(...args: string[]): string {
  const flag = `--import=data:text/javascript,${encodeURIComponent(PRINT_MODULES)}`;
  return execFileSync(process.execPath, [flag, 'src/cli/main.ts', ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    env: cleanEnv(),
  });
}

test('a service on one machine starts without the packages for PostgreSQL, S3 and Temporal', () => {
  const program = `
    ${PRINT_MODULES}
    const { startService } = await import('./src/service/service.ts');
    const service = await startService({ dataDir: process.argv[1], modelDirs: [], apiKey: 'key', executors: 1 });
    await service.close();`;
  const folder = testFolder();
  const loaded = execFileSync(process.execPath, ['--input-type=module', '--eval', program, folder], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(loaded).toContain('src/service/runs/replica.ts');
  expect(loaded).not.toMatch(/node_modules\/(pg|kysely|aws4fetch|@temporalio)\//);
});
