import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { temporaryFolder } from '../service/support.ts';
import { foray } from '../support/cli.ts';
import { pythonOfTests } from '../support/python.ts';

/** Mesa 4 needs a newer Python than the tests have, so this class stands for its Scenario. */
const MODEL = `import mesa
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

test('the values of a scenario are the inputs of a model of Mesa 4', async () => {
  const folder = temporaryFolder();
  const env = { VIRTUAL_ENV: dirname(await pythonOfTests()), PYTHONDONTWRITEBYTECODE: '' };
  writeFileSync(join(folder, 'town.py'), MODEL);
  const { code, stdout } = await foray(folder, ['models', 'import', 'town:Wealth'], { env });
  expect([code, stdout]).toEqual([0, expect.stringContaining('Made wealth/model.yaml')]);
  expect(stdout).toContain('the parameter extra: only those of the scenario are inputs');
  expect(stdout).toContain('the parameter shape: its default is of the type NoneType');
  expect(readFileSync(join(folder, 'wealth/model.yaml'), 'utf8')).toContain(
    '  - { name: Tax rate, type: DOUBLE, default: 0.1 }\n  - { name: Share, type: DOUBLE, default: 1 }\n',
  );
  const outputsOf = async (...values: string[]) => {
    const given = values.flatMap((value) => ['--input', value]);
    const checked = await foray(folder, ['models', 'check', 'wealth', '--json', ...given], { env });
    expect([checked.code, checked.stderr]).toEqual([0, expect.anything()]);
    return (JSON.parse(checked.stdout) as [{ outputs: Record<string, number> }])[0].outputs;
  };
  const outputs = await outputsOf('Agents=20', 'Steps=7');
  expect(outputs['Total']).toBeCloseTo(20 * 0.9 ** 7, 9);
  expect(outputs['Steps taken']).toBe(7);
  expect((await outputsOf('Agents=20', 'Steps=7', '{RANDOM_SEED}=2'))['Draw']).not.toBe(outputs['Draw']);
}, 600_000);
