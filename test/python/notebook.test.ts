import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { cleanEnv, type Dev, ROOT, startDev } from '../support/cli.ts';
import { pythonOfTests } from '../support/python.ts';

/**
 * nbclient runs a notebook while a `foray dev` runs. The notebook submits campaigns, waits and reads results with
 * python/foray.py.
 */

let dev: Dev;
let bin: string;
beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'foray-notebook-'));
  copyFileSync(join(ROOT, 'python/foray.py'), join(folder, 'foray.py'));
  bin = await pythonOfTests();
  dev = await startDev({ folder, args: ['--models', join(ROOT, 'examples/forest-fire/model')] });
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
  `frame = campaign.wait(seconds=600).results()
assert len(frame) == 6 and str(frame["Echo"].dtype) == "float64", frame.dtypes
assert sorted(frame["Echo"].dropna()) == [1, 2, 3]
points = campaign.results(points=True)
assert len(points) == 6
some = campaign.results(inputs={"Value": [1, 3], "Fail": False})
assert list(some["Value"]) == [1, 3], some
try:
    campaign.results(inputs={"Value": "many"})
    raise AssertionError("the filter was accepted")
except foray.ForayError as error:
    assert error.code == "INVALID_VALUE", error
filters = foray._filters({"Kind": ["B, C", 'say "x"'], "Value": [1, 2]})
assert filters == {"inputs[Kind]": '"B, C","say ""x"""', "inputs[Value]": "1,2"}, filters`,
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
inputs: { Seconds: 600 }
design: { grid: { Value: [1, 2] } }
""")
slow.pause("lunch").resume()
try:
    slow.wait(seconds=0)
    raise AssertionError("the campaign was over")
except TimeoutError:
    pass
assert slow.cancel("enough").wait(seconds=600).status["phase"] == "cancelled"`,
  `try:
    server.submit({**definition, "inputs": {"Secnds": 1}})
    raise AssertionError("the definition was accepted")
except foray.ForayError as error:
    assert error.code == "UNKNOWN_INPUT" and "Seconds" in str(error), error
try:
    server.campaign("nobody")
    raise AssertionError("the campaign exists")
except foray.ForayError as error:
    assert error.status == 404`,
  `epidemic = server.submit("""campaign: units
model: { name: Epidemic }
inputs: { Population: 100 }
design: { grid: { Contact rate: [1.2, 1.4] } }
outputs: [Peak day]
""").wait(seconds=600).results()
units = epidemic.attrs["units"]
assert units["Peak day"] == "DAY", units`,
  `import datetime, pandas as pd, numpy as np
some = campaign.results(inputs={"Value": np.array([1, 3]), "Fail": np.False_})
assert list(some["Value"]) == [1, 3], some
filters = foray._filters({"Kind": pd.Series(["a", "b, c"]), "N": range(2), "Day": pd.Timestamp(2020, 1, 2)})
assert filters == {"inputs[Kind]": 'a,"b, c"', "inputs[N]": "0,1", "inputs[Day]": "2020-01-02T00:00:00"}, filters
values = [np.int64(1), np.array([2]), range(3, 4), pd.Timestamp(2020, 1, 2)]
assert foray._json_of(values) == b'[1, [2], [3], "2020-01-02T00:00:00"]'
days = pd.date_range("2020-01-02", periods=2).values
assert foray._json_of([days, days[0], datetime.date(2020, 1, 4)]) == b'[["2020-01-02T00:00:00", "2020-01-03T00:00:00"], "2020-01-02T00:00:00", "2020-01-04T00:00"]'
assert foray._filters({"Day": days})["inputs[Day]"] == "2020-01-02T00:00:00,2020-01-03T00:00:00"
for refused in (lambda: campaign.results(inputs={"Value": []}), lambda: campaign.results(inputs={"Value": None}), lambda: server.plan({"seed": float("nan")})):
    try:
        refused()
        raise AssertionError("the value was accepted")
    except foray.ForayError as error:
        assert error.code == "INVALID_VALUE" and error.status is None, error`,
  `import http.server, threading, time, types
class Restarting(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.wfile.write(answers.pop(0))
    def log_message(self, *given):
        pass
fake = http.server.HTTPServer(("127.0.0.1", 0), Restarting)
threading.Thread(target=fake.serve_forever, daemon=True).start()
away = foray.Campaign(foray.Server("http://127.0.0.1:%d" % fake.server_port, "key"), "away")
pauses = []
foray.time = types.SimpleNamespace(sleep=pauses.append, monotonic=time.monotonic)
head = b"HTTP/1.0 200 OK\\r\\nContent-Length: 22\\r\\n\\r\\n"
gateway = b"HTTP/1.0 502 Bad Gateway\\r\\n\\r\\n"
answers = [b"", head, gateway, head + b'{"phase": "completed"}']
assert away.wait(progress=lambda status: None) is away and pauses == [1, 2, 4], pauses
pauses.clear()
answers = [b""] * 7
for read in (away.wait, lambda: list(away.rows())):
    try:
        read()
        raise AssertionError("the server answered")
    except foray.ForayError as error:
        assert error.code == "SERVER_UNREACHABLE" and "the server runs" in str(error), error
    answers = [b"HTTP/1.1 200 OK\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n3\\r\\n{}\\n\\r\\n"]
assert pauses == [1, 2, 4, 8, 16, 32], pauses
foray.time = time
fake.shutdown()`,
  `import json, os, pathlib
os.environ["FORAY_KEY"] = "of another server"
inner = pathlib.Path("inner")
(inner / ".foray").mkdir(parents=True)
# the process of the page was killed, and its files stay
stale = {"url": "http://127.0.0.1:9", "key": "old"}
(inner / ".foray" / "page.lock").touch()
(inner / ".foray" / "page.json").write_text(json.dumps(stale))
os.chdir(inner)
assert foray.connect().url == server.url
os.chdir("..")`,
  `import sys
sys.modules["pyarrow"] = None  # as if pyarrow was not installed
plain = campaign.results()
assert list(plain.columns) == list(frame.columns) and len(plain) == 6
assert len(campaign.results(inputs={"Value": "2.."})) == 4`,
];

/** Runs a campaign of a model in Python to its end, cancels a second campaign, and compares both. */
const STORY = [
  `import foray
server = foray.connect()
fire = {"campaign": "fire", "model": {"name": "Forest fire"}, "design": {"grid": {"Density": [0.3, 0.5, 0.6, 0.9]}},
        "seed": 7, "outputs": ["Burnt share"]}
first = server.submit(fire, id="fire").wait(seconds=600)
frame = first.results()
assert first.status["phase"] == "completed" and len(frame) == 4
shares = dict(zip(frame["Density"], frame["Burnt share"]))
assert shares[0.9] > shares[0.3], shares`,
  `first.figure("effects")`,
  `second = server.submit({**fire, "campaign": "again", "replications": 300}, id="again")
import time
while second.status["runs"]["done"] < 4:
    time.sleep(0.1)
assert second.cancel("it is enough").wait(seconds=600).status["phase"] == "cancelled"
assert len(second.results()) >= 4`,
  `compared = server.compare("fire", "again")
assert len(compared["rows"]) == 4, compared`,
];

/** Writes a model, pushes it, and uses it; changes it; then makes mistakes in it. */
const PUSH = [
  `%%writefile model.py
from typing import TypedDict
import scale
from foray_model import model

class Result(TypedDict):
    area: float

@model
def field(width: float = 2.0, height: float = 3.0) -> Result:
    return {"area": scale.FACTOR * width * height}`,
  `%%writefile scale.py
FACTOR = 1`,
  `import foray
server = foray.connect()
assert server.push("model.py", files=["scale.py"]) == {"name": "Field", "version": 1, "isNew": True}
import os
assert server.push(f"../{os.path.basename(os.getcwd())}/model.py", files=["scale.py"]) == {"name": "Field", "version": 1, "isNew": False}
field = {"campaign": "field", "model": {"name": "Field"}, "design": {"grid": {"Width": [1, 2, 5]}}}
frame = server.submit(field).wait(seconds=600).results()
assert dict(zip(frame["Width"], frame["Area"])) == {1: 3, 2: 6, 5: 15}, frame`,
  `%%writefile scale.py
FACTOR = 10`,
  `assert server.push("model.py", files=["scale.py"]) == {"name": "Field", "version": 2, "isNew": True}
frame = server.submit(field).wait(seconds=600).results()
assert sorted(frame["Area"]) == [30, 60, 150], frame`,
  `import pathlib
good = pathlib.Path("model.py").read_text()
def mistake(text, files=("scale.py",)):
    pathlib.Path("model.py").write_text(text)
    try:
        server.push("model.py", files)
    except foray.ForayError as error:
        return error
    raise AssertionError("the model was accepted")
for text, line, words in [
    (good.replace("width: float = 2.0", "width: float"), 8, 'the input "width" of field needs a default value'),
    (good.replace("import scale", "import scal"), 2, "No module named 'scal'"),
    (good.replace("    return", "    retrun"), 10, "SyntaxError"),
    (good.replace("TypedDict):", "TypedDikt):"), 5, "TypedDikt"),
    (good.replace("-> Result", ""), 8, "must say what it returns"),
]:
    error = mistake(text)
    assert (error.code, error.status, error.problem.get("line")) == ("MODEL_INVALID", 422, line), (line, error.problem)
    assert str(error).startswith("model.py:%d:1: " % line) and words in str(error), error
    assert "/" not in str(error), error
error = mistake(good, [])
assert "No module named 'scale'" in str(error), error
assert mistake(good, ["/etc/hosts"]).code == "MODEL_INVALID"
assert mistake(good.replace("@model", "")).problem.get("line") is None
wide = mistake(good.replace("width: float = 2.0", "width: str = 'x', Width: int = 1"))
assert "Width" in str(wide), wide
assert server.model("Field")["version"]["version"] == 2`,
];

/** pandas and DuckDB read results from a URL of the server. DuckDB requests the length of the file, and then ranges. */
const ADDRESS = `import duckdb, foray, pathlib, sysconfig
import pandas as pd
server = foray.connect()
headers = server.headers
address = server.url + "/api/v1/campaigns/fire/results.parquet"
read = pd.read_parquet(address, storage_options=headers)
assert list(read["Density"]) == [0.3, 0.5, 0.6, 0.9], read
lines = pd.read_csv(address.replace(".parquet", ".csv"), storage_options=headers, float_precision="round_trip")
assert list(lines["Burnt share"]) == list(read["Burnt share"])
database = duckdb.connect()
(httpfs,) = pathlib.Path(sysconfig.get_path("purelib")).glob("duckdb_ext/**/httpfs.duckdb_extension")
database.execute(f"load '{httpfs}'")
database.execute(f"create secret (type http, extra_http_headers map {{'Authorization': '{headers['Authorization']}'}})")
column = '"Burnt share"'
shares = database.execute(f"select {column} from '{address}' where Density > 0.4").fetchall()
assert [share for (share,) in shares] == list(read["Burnt share"])[1:], shares
told = database.execute(f"explain analyze select sum(Density) from '{address}'").fetchall()[0][1]
assert "#HEAD: 1" in told or "#GET: " in told, told`;

/** Runs a notebook, and returns the outputs of its cells. */
async function notebook(cells: readonly string[]): Promise<{ data?: Record<string, string> }[][]> {
  const program = join(dev.folder, 'run.py');
  writeFileSync(
    program,
    `import json, sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in json.load(sys.stdin)])
NotebookClient(notebook, timeout=900, startup_timeout=600).execute()
print(json.dumps([cell.outputs for cell in notebook.cells]))
`,
  );
  const env = { ...cleanEnv(), PYTHONPATH: dev.folder };
  const run = promisify(execFile)(join(bin, 'python'), [program], { cwd: dev.folder, env });
  run.child.stdin!.end(JSON.stringify(cells));
  return JSON.parse((await run).stdout) as { data?: Record<string, string> }[][];
}

// one notebook for all, because a kernel and pandas take seconds to start; CELLS come last, because they hide pyarrow
test('a notebook runs campaigns, shows and compares them, pushes models, reads results as frames and from a URL, and names mistakes', async () => {
  const outputs = await notebook([...STORY, ADDRESS, ...PUSH, ...CELLS]);
  const cells = outputs.slice(-CELLS.length);
  expect(outputs[1]![0]!.data!['image/svg+xml']).toMatch(/^<svg xmlns/);
  expect(cells[2]![0]!.data!['text/html']).toMatch(/^<table>.*nb.*completed, 3 of 6 runs done, 3 failed/);
  expect(cells[4]![0]!.data!['image/svg+xml']).toMatch(/^<svg xmlns/);
});
