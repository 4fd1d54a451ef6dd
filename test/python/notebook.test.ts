import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { cleanEnv, type Dev, ROOT, startDev } from '../support/cli.ts';
import { pythonWith } from '../support/python.ts';

/** A notebook that submits, waits and reads with python/foray.py, run by nbclient beside a `foray dev`. */

let dev: Dev;
let bin: string;
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'foray-notebook-'));
  bin = await pythonWith('notebook', resolve(import.meta.dirname, 'notebook-requirements.txt'));
  dev = await startDev({ folder });
});
afterAll(() => dev.stop());

const CELLS = [
  `import foray
server = foray.connect()
definition = {"campaign": "nb", "model": {"name": "Rehearsal"}, "inputs": {"Seconds": 0},
              "design": {"grid": {"Value": [1, 2, 3], "Fail": [False, True]}}, "outputs": ["Echo"]}
assert server.plan(definition)["runs"] == 6
campaign = server.submit(definition, id="nb")
assert server.submit(definition, id="nb").id == "nb"`,
  `frame = campaign.wait(seconds=120).results()
assert len(frame) == 6 and str(frame["Echo"].dtype) == "float64", frame.dtypes
assert sorted(frame["Echo"].dropna()) == [1, 2, 3]
points = campaign.results(points=True)
assert len(points) == 6
some = campaign.results(inputs={"Value": [1, 3], "Fail": False})
assert list(some["Value"]) == [1, 3], some`,
  `campaign`,
  `assert campaign.failures()[0]["count"] == 3
assert len(list(campaign.rows())) == 6
assert campaign.point(frame["point"][0])["point"] == frame["point"][0]
assert "<html" in campaign.report()`,
  `assert "effects" in campaign.figures()
campaign.figure("effects").save("effects.svg")
campaign.figure("effects")`,
  `slow = server.submit("""campaign: slow
model: { name: Rehearsal }
inputs: { Seconds: 60 }
design: { grid: { Value: [1, 2] } }
""")
slow.pause("lunch").resume()
try:
    slow.wait(seconds=0)
    raise AssertionError("it was over")
except TimeoutError:
    pass
assert slow.cancel("enough").wait(seconds=60).status["phase"] == "cancelled"`,
  `try:
    server.submit({**definition, "inputs": {"Secnds": 1}})
    raise AssertionError("it was taken")
except foray.ForayError as error:
    assert error.code == "UNKNOWN_INPUT" and "Seconds" in str(error), error
try:
    server.campaign("nobody")
    raise AssertionError("it was there")
except foray.ForayError as error:
    assert error.status == 404`,
  `epidemic = server.submit("""campaign: units
model: { name: Epidemic }
inputs: { Population: 100 }
design: { grid: { Contact rate: [1.2, 1.4] } }
outputs: [Peak day]
""").wait(seconds=120).results()
units = epidemic.attrs["units"]
assert units["Peak day"] == "DAY", units`,
  `import sys
sys.modules["pyarrow"] = None  # as if it was not there
plain = campaign.results()
assert list(plain.columns) == list(frame.columns) and len(plain) == 6
assert len(campaign.results(inputs={"Value": "2.."})) == 4`,
];

test('a notebook submits, waits, reads a frame with units, steers, and shows a campaign as a table', async () => {
  const program = join(dev.folder, 'run.py');
  writeFileSync(
    program,
    `import json, sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in json.load(sys.stdin)])
NotebookClient(notebook, timeout=180).execute()
print(json.dumps([cell.outputs for cell in notebook.cells]))
`,
  );
  const env = { ...cleanEnv(), PYTHONPATH: join(ROOT, 'python'), PYTHONDONTWRITEBYTECODE: '1' };
  const run = promisify(execFile)(join(bin, 'python'), [program], { cwd: dev.folder, env });
  run.child.stdin!.end(JSON.stringify(CELLS));
  const outputs = JSON.parse((await run).stdout) as { data?: Record<string, string> }[][];
  expect(outputs[2]![0]!.data!['text/html']).toMatch(/^<table>.*nb.*completed, 3 of 6 runs done, 3 failed/);
  expect(outputs[4]![0]!.data!['image/svg+xml']).toMatch(/^<svg xmlns/);
});
