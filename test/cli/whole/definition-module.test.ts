import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { foray as run } from '../../support/cli.ts';
import { KEY, startWorld, type World } from '../../support/world.ts';
import { EPIDEMIC } from '../../service/fixed.ts';

let world: World;
let folder: string;
beforeAll(async () => {
  world = await startWorld({ models: [EPIDEMIC] });
  folder = join(world.folder, 'somewhere else');
  mkdirSync(join(folder, 'data'), { recursive: true });
  // "npm install" makes such a package.json; Node warns about a TypeScript module beside it
  writeFileSync(join(folder, 'package.json'), '{}');
  writeFileSync(join(folder, 'data/observed.csv'), 'day,infected\n0,1\n1,3\n');
});
afterAll(() => world.close());

const submit = (file: string, ...more: string[]) => {
  const { service, store } = world.settings;
  const env = {
    FORAY_SERVICE_URL: service.url,
    FORAY_API_KEY: KEY,
    FORAY_STORE: store,
    TEMPORAL_ADDRESS: world.environment.address,
  };
  return run(world.folder, ['submit', file, ...more], { env });
};

const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join('somewhere else', name);
};

describe('foray submit FILE.ts', () => {
  const head = "campaign: 'flu', model: { name: 'Epidemic' }";
  test.each([
    [
      'an unknown input',
      'a.ts',
      `export default { ${head}, design: { grid: { 'Contact rat': [1] } } };`,
      /a\.ts: design\.grid\.Contact rat: .*Did you mean "Contact rate"\?$/,
    ],
    [
      'a syntax error',
      'c.ts',
      'const a: number = 1;\nexport default { campaign: a b };',
      /c\.ts:2:30: The module is wrong: /,
    ],
    [
      'a syntax error in JavaScript',
      'd.js',
      `export default {\n  ${head},\n  seed: ;\n};`,
      /d\.js:3:9: The module is wrong: /,
    ],
    [
      'an import of a name that does not exist',
      'e.mts',
      "import { nothing } from 'foray';\nexport default nothing;",
      /e\.mts:1:10: The module is wrong: .*'nothing'/,
    ],
    [
      'a module that throws',
      'g.ts',
      "throw new Error('too\\nhot.');",
      /"somewhere else\/g\.ts" cannot be imported: too hot\.$/,
    ],
    [
      'a function whose promise is rejected',
      'h.ts',
      "export default () => Promise.reject('no');",
      /cannot be imported: no\.$/,
    ],
    [
      'no default export',
      'i.ts',
      `export const campaign = { ${head} };`,
      /"somewhere else\/i\.ts" has no default/,
    ],
  ])('reports %s on one line that says where the mistake is', async (_, name, text, message) => {
    const { code, stdout, stderr } = await submit(write(name, text));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.trimEnd()).toMatch(message);
    expect(stderr.trimEnd()).not.toContain('\n');
  });
});
