import { describe, expect, it } from '@jest/globals';
import { readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore } from '../../src/store/index.ts';
import { foray } from '../support/cli.ts';
import { addNamed, failed, rowsOf } from '../store/fixtures.ts';
import { testFolder } from '../support/test-folder.ts';

describe("Node's compile cache", () => {
  it('is in the folder XDG_CACHE_HOME', async () => {
    const folder = testFolder();
    const env = { XDG_CACHE_HOME: folder, NODE_COMPILE_CACHE: '' };
    expect(await foray(folder, ['--version'], { env })).toMatchObject({ code: 0, stderr: '' });
    const [version] = readdirSync(join(folder, 'foray/compiled'));
    expect(readdirSync(join(folder, 'foray/compiled', version!)).length).toBeGreaterThan(10);
  });

  it('leads to no error and no message if its folder cannot be written', async () => {
    const folder = testFolder();
    writeFileSync(join(folder, 'file'), '');
    const env = { XDG_CACHE_HOME: join(folder, 'file'), NODE_COMPILE_CACHE: '' };
    expect(await foray(folder, ['--version'], { env })).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('settings', () => {
  it('may be before or after the command, and the last value of a setting counts', async () => {
    const folder = testFolder();
    // the error names the store that the command looked for
    const inHome = async (home: string, args: string[]): Promise<void> => {
      const { code, stderr } = await foray(folder, args, { env: { FORAY_HOME: 'd' } });
      expect([code, stderr]).toEqual([2, expect.stringContaining(`${join(folder, home)}/store.db yet`)]);
    };
    await inHome('a', ['--home', 'a', 'list']);
    await inHome('b', ['--home', 'a', 'list', '--home', 'b']);
    await inHome('c', ['list', '--home', 'c']);
    await inHome('d', ['list']);
    expect(readdirSync(folder)).toEqual([]);
    // this is also true for the commands below another command
    const key = await foray(folder, ['--home', 'f', 'keys', 'add', 'joe']);
    expect([key.code, readdirSync(folder)]).toEqual([0, ['f']]);
  });

  it('are refused before a command that does not have these settings', async () => {
    const { code, stderr } = await foray(tmpdir(), ['--store', 'sqlite:x', 'dev']);
    expect([code, stderr]).toEqual([2, "error: dev has no option '--store'\n"]);
  });

  it('have their own group in the help of a command, after the options of the command', async () => {
    const { stdout } = await foray(tmpdir(), ['plan', '--help']);
    const [own, settings] = stdout.split('\nSettings:\n');
    expect(own).toMatch(/\nOptions:\n +--all[^]*--json[^]*--help/);
    expect(own).not.toContain('--home');
    expect(settings).toMatch(/^ +--home[^]*--web-ui/);
    expect(settings).not.toContain('--json');
  });
});

describe('an error with --json', () => {
  it('is also one JSON document on standard output, with the same exit code', async () => {
    const folder = testFolder();
    const unknown = await foray(folder, ['status', 'nope', '--json']);
    expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringMatching(/^foray: There is no store/)]);
    expect(JSON.parse(unknown.stdout)).toEqual({
      error: {
        code: 'STORE_MISSING',
        message: expect.stringMatching(/store\.db yet\.$/),
        hint: expect.any(String),
        place: null,
      },
      exit: 2,
    });
    const wrong = await foray(folder, ['explain', 'x', '--json']);
    expect([wrong.code, JSON.parse(wrong.stdout)]).toMatchObject([
      2,
      { error: { code: 'USAGE', message: "missing required argument 'point'" }, exit: 2 },
    ]);
    writeFileSync(join(folder, 'a.yaml'), 'campaign: a\n model: b\n');
    const placed = await foray(folder, ['plan', 'a.yaml', '--json', '--service-url', 'http://127.0.0.1:1']);
    expect(JSON.parse(placed.stdout)).toMatchObject({
      error: { code: 'DEFINITION_SYNTAX', place: { file: 'a.yaml', line: 2, column: 2 } },
      exit: placed.code,
    });
    expect((await foray(folder, ['status', 'nope'])).stdout).toBe('');
  });
});

describe('texts of a service or a model', () => {
  it('can neither control the terminal nor start a new line', async () => {
    const folder = testFolder();
    const address = `sqlite:${join(folder, 'store.db')}`;
    const store = await openStore(address);
    await addNamed(store, ['a', 'b']);
    await store.intend('flu', [0], 1);
    await store.observe('flu', [failed(0, 'it \x1b[2Jbroke\nforay: all is well \u202e\x9b1m')], 2);
    const [row] = await rowsOf(store);
    await store.close();
    const settings = ['--store', address];
    // no server listens here; another test may run a Temporal server at the usual address, with a campaign of this
    // name
    const env = { TEMPORAL_ADDRESS: '127.0.0.1:1' };
    const shown = String.raw`it \u001b[2Jbroke\nforay: all is well \u202e\u009b1m`;
    const status = await foray(folder, [...settings, 'status', 'flu', '--failures'], { env });
    expect(status.stdout).toContain(String.raw`× it \u001b[`);
    const explained = await foray(folder, [...settings, 'explain', 'flu', row!.point], { env });
    expect(explained.stdout).toContain(shown);
    for (const { stdout, stderr } of [status, explained]) {
      // oxlint-disable-next-line no-control-regex
      expect(stdout + stderr).not.toMatch(/[\x1b\x9b\u202e]/);
      expect(stdout + stderr).not.toMatch(/^foray: all is well/m);
    }
    const json = await foray(folder, [...settings, 'explain', 'flu', row!.point, '--json'], { env });
    expect(json.stdout).toContain(String.raw`\u001b[2J`);
    expect(JSON.stringify(JSON.parse(json.stdout))).toContain('\u202e');
  });
});
