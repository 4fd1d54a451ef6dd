import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { importModel } from '../../src/service/models/import.ts';
import { ROOT } from '../support/cli.ts';
import { Imports } from './imports.ts';

/** `foray models import` of models of Mesa, and runs of what it writes. */

let imports: Imports;
let folder: string;
beforeAll(async () => {
  imports = await Imports.open();
  ({ folder } = imports);
});
afterAll(() => imports.close());

/** Mesa 4 needs a newer Python than the tests have, so this class stands for its Scenario. */
const SCENARIO = `import mesa
import numpy

class Scenario:
    share: float
    __slots__ = ("__dict__", "rng")
    _scenario_defaults = {"agents": 10, "tax_rate": 0.1, "share": 1, "shape": None}
    def __init__(self, *, rng=None, **given):
        self.__dict__.update(self._scenario_defaults, **given)
        self.rng = numpy.random.default_rng(rng)

class Wealth(mesa.Model):
    """Agents pay a tax."""
    def __init__(self, scenario=Scenario, extra=1):
        scenario = scenario if isinstance(scenario, Scenario) else scenario()
        super().__init__(rng=scenario.rng)
        self.rate, self.wealth = scenario.tax_rate, float(scenario.agents)
        self.datacollector = mesa.DataCollector(model_reporters={"Total": "wealth", "Draw": lambda m: m.rng.random()})
    def step(self):
        self.wealth *= 1 - self.rate
        self.datacollector.collect(self)
`;

describe('a model of Mesa', () => {
  const MODEL = `import mesa
from helpers import start
class Holder(mesa.Agent):
    wealth = 0
class Wealth(mesa.Model):
    """Agents give each other money."""
    def __init__(self, agents=10, tax_rate=0.1, kind="even", shape=None, most=float("inf"), seed=None):
        super().__init__(seed=seed)
        self.rate = tax_rate
        for agent in Holder.create_agents(self, agents):
            agent.wealth = start(kind)
        self.datacollector = mesa.DataCollector(model_reporters={
            "Total": lambda m: sum(a.wealth for a in m.agents), "Draw": lambda m: m.random.random(), "Text": lambda m: "no"})
    def step(self):
        for agent in self.agents:
            agent.wealth *= 1 - self.rate
        self.datacollector.collect(self)
`;
  const APP = `import solara, nothing
from mesa.visualization import Slider
model_params = {"agents": {"type": "SliderInt", "value": 10, "min": 1, "max": 50}, "tax_rate": Slider("Tax", 0.1, 0.0, max=0.5, step=0.1),
  "kind": {"type": "Select", "value": "even", "values": ["even", "rich"]}}
`;

  test('becomes a model with the bounds of its sliders and the reporters of its collector', async () => {
    writeFileSync(join(folder, 'model.py'), MODEL);
    writeFileSync(join(folder, 'helpers.py'), 'start = lambda kind: {"even": 1.0, "rich": 8.0}[kind]\n');
    writeFileSync(join(folder, 'app.py'), APP);
    const { code, stdout } = await imports.run(['import', 'model:Wealth']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('wealth/source')]);
    expect(stdout).toContain('the parameter shape: its default is of the type NoneType');
    expect(stdout).toContain('the parameter most: its default is inf');
    expect(stdout).toContain('the reporter Text: its value is str');
    expect(readFileSync(join(folder, 'wealth/model.yaml'), 'utf8').split('\n').slice(5, 9)).toEqual([
      '  - { name: "{RANDOM_SEED}", type: LONG, default: 1, min: 0, max: 4294967295 }',
      '  - { name: Agents, type: LONG, default: 10, min: 1, max: 50 }',
      '  - { name: Tax rate, type: DOUBLE, default: 0.1, min: 0, max: 0.5 }',
      '  - { name: Kind, type: STRING, default: even, values: [ even, rich ] }',
    ]);
    // the folder does not need the files that it was made from
    for (const file of ['model.py', 'helpers.py', 'app.py']) rmSync(join(folder, file));
    const given = { Agents: 20, Steps: 7, Kind: 'rich' };
    const largest = { ...given, '{RANDOM_SEED}': 2 ** 32 - 1 };
    const [one, other, again] = imports.answers('wealth', given, largest, given) as Record<string, unknown>[];
    expect(one!['Total']).toBeCloseTo(20 * 8 * 0.9 ** 7, 9);
    expect((one!['Total over time'] as { dataX: number[] }).dataX).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(one!['Steps taken']).toBe(7);
    expect(one!['Draw']).not.toBe(other!['Draw']);
    // runs depend neither on earlier runs nor on the process
    expect(again).toEqual(one);
    expect(imports.answers('wealth', largest)).toEqual([other]);
  });

  test('may have any letters in its names; a whole default is any number if its hint or its slider says so, and equal names have numbers', async () => {
    const place = join(folder, 'letters');
    mkdirSync(place);
    writeFileSync(
      join(place, 'wärme.py'),
      `import mesa
model_params = {"density": {"type": "SliderFloat", "value": 1, "min": 0.1, "max": 1, "step": 0.1}}
class Wärme(mesa.Model):
    def __init__(self, lambda_=1.0, rate: float = 1, late: "float" = 1, density=1, count: int = 1, open: bool = True, n=2, N=3, rng=None):
        super().__init__(rng=rng)
        self.datacollector = mesa.DataCollector(model_reporters={"Heat": lambda model: lambda_, "Rate": lambda model: rate,
          "n": lambda model: n, "N": lambda model: N, "Rate over time": lambda model: 5, "Steps taken": lambda model: 6})
    def step(self):
        self.datacollector.collect(self)
`,
    );
    const { code, stdout } = await imports.run(['import', 'wärme:Wärme', '--to', join(folder, 'heat')], {
      folder: place,
    });
    expect([code, stdout]).toEqual([0, expect.stringContaining('the model Wärme')]);
    expect(globSync('source/*', { cwd: join(folder, 'heat') })).toEqual([
      expect.stringMatching(/\/wärme\.py$/),
    ]);
    expect(readFileSync(join(folder, 'heat/model.yaml'), 'utf8').split('\n').slice(6, 14)).toEqual([
      // a usual name in Python, because lambda is a keyword
      '  - { name: Lambda, type: DOUBLE, default: 1 }',
      '  - { name: Rate, type: DOUBLE, default: 1 }',
      '  - { name: Late, type: DOUBLE, default: 1 }',
      '  - { name: Density, type: DOUBLE, default: 1, min: 0.1, max: 1 }',
      '  - { name: Count, type: LONG, default: 1 }',
      '  - { name: Open, type: BOOLEAN, default: true }',
      '  - { name: N, type: LONG, default: 2 }',
      '  - { name: N (2), type: LONG, default: 3 }',
    ]);
    expect(imports.answers('heat', { Lambda: 2.5, Rate: 0.5, Steps: 4 })).toMatchObject([
      {
        Heat: 2.5,
        Rate: 0.5,
        n: 2,
        'N (2)': 3,
        'Rate over time (2)': 5,
        'Steps taken (2)': 6,
        'Steps taken': 4,
        'Rate over time': { dataX: [0, 1, 2, 3], dataY: [0.5, 0.5, 0.5, 0.5] },
      },
    ]);
  });

  test('whose module ends Python is refused with how it ended', async () => {
    // no Mesa is needed, so an empty module stands for it
    const near = join(folder, 'near');
    mkdirSync(join(near, '.venv/bin'), { recursive: true });
    writeFileSync(join(near, 'mesa.py'), '');
    const python = join(near, '.venv/bin/python');
    writeFileSync(python, `#!/bin/sh\nPYTHONPATH='${near}' exec python3 -S "$@"\n`);
    chmodSync(python, 0o755);
    for (const [name, end, message] of [
      ['quiet', 'sys.exit()', 'The importer ended without an answer; it printed nothing.'],
      ['coded', 'sys.exit(3)', 'The importer ended with exit code 3.'],
      ['killed', 'os.kill(os.getpid(), 9)', 'The importer was ended by the signal SIGKILL.'],
    ] as const) {
      writeFileSync(join(near, `${name}.py`), `import os, sys\n${end}\n`);
      await expect(importModel(`${name}:Model`, near)).rejects.toMatchObject({ message });
    }
  });

  test('keeps its modules if Python is installed above the folder, and the importer is none of them', () => {
    const script = `import os, sys
sys.path.insert(0, os.getcwd())
sys.modules["mesa"] = type(sys)("mesa")  # Mesa takes a second to import
import foray_mesa, own_module
sys.prefix = sys.base_prefix = os.path.dirname(os.getcwd())
print(sorted(foray_mesa._own_files()))`;
    const place = mkdtempSync(join(folder, 'below-'));
    writeFileSync(join(place, 'own_module.py'), '');
    for (const file of ['foray_mesa.py', 'foray_names.py'])
      copyFileSync(join(ROOT, 'python', file), join(place, file));
    const printed = execFileSync(imports.python, ['-c', script], { cwd: place, encoding: 'utf8' });
    expect(printed.trim()).toBe("['source/own_module.py']");
  });

  test('is refused if it takes no seed, needs a parameter, or has no collector', () => {
    const wrong = {
      no_seed: MODEL.replace(', seed=None', '').replace('seed=seed', ''),
      needy: MODEL.replace('agents=10', 'agents'),
      silent: MODEL.replace('self.datacollector =', 'self.other ='),
    };
    const place = mkdtempSync(join(folder, 'wrong-'));
    writeFileSync(join(place, 'helpers.py'), 'start = lambda kind: 1.0\n');
    for (const [name, source] of Object.entries(wrong))
      writeFileSync(join(place, `${name}_file.py`), source.replace('class Wealth', `class ${name}`));
    // one process, because Mesa takes a second to import
    const script = `import sys
sys.path.insert(0, sys.argv[1])
import foray_mesa
for name in sys.argv[2:]:
    try:
        foray_mesa.main(name + "_file:" + name)
    except SystemExit as error:
        print(error)`;
    const names = Object.keys(wrong);
    const said = execFileSync(imports.python, ['-c', script, join(ROOT, 'python'), ...names], {
      cwd: place,
      encoding: 'utf8',
    });
    expect(said.trimEnd().split('\n')).toEqual([
      expect.stringContaining('no_seed takes no seed'),
      expect.stringContaining('agents of needy needs a default value'),
      expect.stringContaining('silent makes no step with its default values'),
    ]);
  });

  test('of Mesa 4 has the values of its scenario as inputs', async () => {
    writeFileSync(join(folder, 'town.py'), SCENARIO);
    const { code, stdout } = await imports.run(['import', 'town:Wealth', '--to', 'town']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('Made town/model.yaml')]);
    expect(stdout).toContain('the parameter extra: only those of the scenario are inputs');
    expect(stdout).toContain('the parameter shape: its default is of the type NoneType');
    expect(readFileSync(join(folder, 'town/model.yaml'), 'utf8')).toContain(
      '  - { name: Tax rate, type: DOUBLE, default: 0.1 }\n  - { name: Share, type: DOUBLE, default: 1 }\n',
    );
    const [one, other] = imports.answers(
      'town',
      { Agents: 20, Steps: 7 },
      { Agents: 20, Steps: 7, '{RANDOM_SEED}': 2 },
    ) as [Record<string, number>, Record<string, number>];
    expect(one['Total']).toBeCloseTo(20 * 0.9 ** 7, 9);
    expect(one['Steps taken']).toBe(7);
    expect(other['Draw']).not.toBe(one['Draw']);
  });
});
