import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from './support/cli.ts';
import { testFolder } from './support/test-folder.ts';

const FOLDER = join(ROOT, 'docs/monitoring');
const OPERATIONS = readFileSync(join(ROOT, 'docs/guides/operations.md'), 'utf8');
/** The program that checks rules for Prometheus. Debian's package prometheus contains this program. */
const PROMTOOL = process.env.FORAY_PROMTOOL ?? 'promtool';
const hasPromtool = spawnSync(PROMTOOL, ['--version']).status === 0;

const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');

interface Dashboard {
  panels: { title: string; targets: { expr: string }[] }[];
}

const expressions = (): string[] =>
  (JSON.parse(read('dashboard.json')) as Dashboard).panels.flatMap(({ targets }) =>
    targets.map(({ expr }) => expr),
  );

function promtool(...args: string[]): void {
  const { status, stdout, stderr } = spawnSync(PROMTOOL, args, { cwd: FOLDER, encoding: 'utf8' });
  expect([status, `${stdout}${stderr}`]).toEqual([0, expect.any(String)]);
}

test('docs/guides/operations.md has each metric that an alert or the dashboard uses', () => {
  const asked = `${read('alerts.yaml')}${expressions().join('\n')}`.match(/foray_[a-z_]+/g)!;
  const names = new Set(asked.map((name) => name.replace(/_seconds_(bucket|count|sum)$/, '_seconds')));
  expect(names.size).toBeGreaterThan(10);
  expect([...names].filter((name) => !OPERATIONS.includes(`\`${name}\``))).toEqual([]);
});

const checked = hasPromtool ? test : test.skip;
if (!hasPromtool) {
  process.stderr.write(
    'left out: alert rules are not checked, because promtool is not installed (Debian: prometheus)\n',
  );
}

checked(
  'promtool accepts the alert rules and the example configuration, and the alerts fire as alerts.test.yaml expects',
  () => {
    promtool('check', 'rules', 'alerts.yaml');
    promtool('check', 'config', 'prometheus.yaml');
    promtool('test', 'rules', 'alerts.test.yaml');
  },
);

checked('promtool accepts each expression of the dashboard', () => {
  const folder = testFolder();
  const rules = expressions().map((expr, at) => ({
    record: `panel_${at}`,
    expr: expr.replaceAll(/\$__(rate_interval|range)/g, '5m'),
  }));
  writeFileSync(join(folder, 'dashboard.yaml'), JSON.stringify({ groups: [{ name: 'dashboard', rules }] }));
  promtool('check', 'rules', join(folder, 'dashboard.yaml'));
});
