import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { foray, isRunning, ROOT } from '../support/cli.ts';
import {
  messageIn,
  outputsOf,
  reach,
  requestRun,
  startTestService,
  temporaryFolder,
  type TestService,
} from '../service/support.ts';

/** Models in Python: functions with @model, and programs that call `serve`. */

/** What a run does wrong, and the reason why it fails; undefined if it completes. */
const faults: [what: string, body: string, reason?: string][] = [
  ['raise', 'raise ValueError("bad density")', 'ValueError: bad density'],
  ['exit', 'sys.exit("the shop is closed")', 'the shop is closed'],
  ['exit 0', 'sys.exit(0)', 'the model called sys.exit(0)'],
  ['interrupt', 'raise KeyboardInterrupt', 'KeyboardInterrupt'],
  ['hard exit', 'os._exit(3)', 'exit code 3'],
  ['crash', 'ctypes.string_at(0)', 'SIGSEGV'],
  ['recursion', 'f = lambda: f()\n        f()', 'RecursionError'],
  ['complex', 'return {"y": 1j}', 'complex is not a value of an output'],
  ['list', 'return [1]', 'the model returned list'],
  ['nothing', 'return None', 'the model returned NoneType'],
  ['missing', 'return {}', 'the output "Y" was not given'],
  ['unknown', 'return {"y": 1.0, "z": 2}', 'an output "z"'],
  ['text', 'return {"y": "five"}', 'given by the model as string'],
  ['nan', 'return {"y": float("nan")}'],
  [
    'prints',
    `print("python line"); sys.stdout.write("no end of line"); libc.printf(b"C text"); os.system("echo shell")
        subprocess.run([sys.executable, "-c", "print('{\\"outputs\\": {\\"Y\\": 666}}')"])
        print('{"run": 1, "outputs": {"Y": 667}}'); os.write(1, b'{"run": 2, "error": "no"}\\n')`,
  ],
  [
    'asks',
    'assert sys.stdin.readline() == "" and subprocess.run(["cat"], capture_output=True).stdout == b""',
  ],
  ['folder', 'os.chdir("/")'],
  [
    'settings',
    `os.environ["TZ"] = "Asia/Tokyo"; time.tzset(); os.umask(0o077); sys.path.insert(0, "/nowhere")
        signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.alarm(1); random.seed(3); sys.setrecursionlimit(99999)`,
  ],
  ['thread', 'threading.Thread(target=time.sleep, args=(30,)).start()'],
  ['child', 'left.append(subprocess.Popen(["sleep", "613"]))'],
  ['late', 'subprocess.Popen(["sh", "-c", "sleep 0.2; echo late; echo x > late.txt"])'],
  ['fork', 'if os.fork() == 0: return {"y": 666.0}\n        os.wait()'],
  ['pool', 'from multiprocessing import Pool\n        with Pool(2) as pool: pool.map(abs, [-1])'],
  ['files', 'left.extend(open("/dev/null") for _ in range(50))'],
  ['close', 'sys.stdout.close(); os.close(1)'],
  ['replace', 'import io; sys.stdout = io.StringIO()'],
];

const FAULTY = `
import ctypes, os, random, signal, subprocess, sys, threading, time
from typing import TypedDict
from foray_model import model
libc = ctypes.CDLL(None)
left = []
class Result(TypedDict):
    y: float
@model
def faulty(what: str = "", number: int = 0, *, seed: int = 1) -> Result:
${faults.map(([what, body]) => `    if what == ${JSON.stringify(what)}:\n        ${body}`).join('\n')}
    if what == "look":
        assert os.getcwd() != "/" and os.listdir(".") in ([], [".tmp"]), os.listdir(".")
        assert os.environ.get("TZ") != "Asia/Tokyo" and "/nowhere" not in sys.path
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL and signal.alarm(0) == 0
    return {"y": float(number)}
`;

async function serve(source: string): Promise<TestService> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'faulty'));
  writeFileSync(join(folder, 'faulty/model.py'), source);
  return startTestService({ modelDirs: [folder], executors: 1 });
}

describe('a function in Python', () => {
  test('loses only the run that misbehaves', async () => {
    const service = await serve(FAULTY);
    const version = await service.latest('Faulty');
    let number = 0;
    for (const [what, , reason] of faults) {
      const { body: run } = await requestRun(service, version, { What: what, Number: ++number });
      if (reason === undefined) await reach(service, run, 'COMPLETED');
      else {
        const { title } = messageIn(await reach(service, run, 'FAILED'));
        expect([what, title]).toEqual([what, expect.stringContaining(reason)]);
      }
      number += 1;
      const outputs = await outputsOf(service, version, { What: 'look', Number: number });
      expect([what, outputs.get('Y')]).toEqual([what, String(number)]);
    }
  });

  test('has the declaration that its signature says', async () => {
    const service = await serve(`
from dataclasses import dataclass
from typing import Annotated, Literal
from foray_model import Curve, File, Max, Min, Name, Unit, model
@dataclass
class Result:
    total: Annotated[float, Unit("MINUTE")]
    count: int
    course: Curve
    table: File
@model
def faulty(rate: Annotated[float, Min(0), Max(2)] = 0.5, kind: Literal["a", "b"] = "a", flag: bool = False,
           profile: list[float] = [1.0, 2.0], data: File = None,
           end: Annotated[float, Name("{STOP_TIME}")] = 9.0, *, seed: int = 1) -> Result:
    """A test of
    declarations."""
    with open("table.csv", "w") as file:
        file.write(open(data).read() if data else "none")
    return Result(total=sum(profile) * rate, count=seed, course=([0, 1], [rate, rate]), table="table.csv")
`);
    const version = await service.latest('Faulty');
    const { body } = await service.get<{ experimentTemplate: unknown }>(`/versions/${version}`);
    expect(body.experimentTemplate).toMatchObject({
      inputs: [
        { name: '{RANDOM_SEED}', type: 'LONG' },
        { name: 'Rate', type: 'DOUBLE', value: '0.5' },
        { name: 'Kind', type: 'STRING', value: 'a' },
        { name: 'Flag', type: 'BOOLEAN' },
        { name: 'Profile', type: 'STRING', value: '[1.0, 2.0]' },
        { name: 'Data', type: 'INPUT_FILE' },
        { name: '{STOP_TIME}', type: 'DOUBLE' },
      ],
      outputs: [
        { name: 'Total', type: 'DOUBLE', units: 'MINUTE' },
        { name: 'Count', type: 'LONG' },
        { name: 'Course', type: 'DATA_SET' },
        { name: 'Table', type: 'OUTPUT_FILE' },
      ],
    });
    const outputs = await outputsOf(service, version, { Profile: '[1, 2, 3]', '{RANDOM_SEED}': 7 });
    expect(outputs.get('Total')).toBe('3');
    expect(outputs.get('Count')).toBe('7');
    expect(outputs.get('Course')).toBe('{"dataX":[0,1],"dataY":[0.5,0.5]}');
    expect(outputs.get('Table')).toContain('"localPath":"table.csv"');
    const { body: refused } = await requestRun(service, version, { Rate: 3 });
    expect(refused).toMatchObject({ status: 400, code: 'INVALID_VALUE' });
  });

  test('may be a single file, whose folder has other files', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'coffee.py');
    writeFileSync(
      file,
      `from typing import TypedDict
from foray_model import model
class Result(TypedDict):
    y: float
@model
def coffee(x: float = 2.0) -> Result:
    return {"y": x * 2}
`,
    );
    const service = await startTestService({ modelDirs: [file], executors: 1 });
    const version = await service.latest('Coffee');
    expect((await outputsOf(service, version)).get('Y')).toBe('4');
    writeFileSync(join(folder, 'results.csv'), 'a,b');
    const { body } = await service.get<{ files: { path: string }[] }>(`/versions/${version}/code`);
    expect(body.files.map(({ path }) => path)).toEqual(['coffee.py', 'foray/python/foray_model.py']);
  });

  test('leaves no process when the service closes', async () => {
    const service = await serve(`
import os
from typing import TypedDict
from foray_model import model
class Result(TypedDict):
    y: float
@model
def faulty() -> Result:
    return {"y": float(os.getpid())}
`);
    const outputs = await outputsOf(service, await service.latest('Faulty'));
    const pid = Number(outputs.get('Y'));
    expect(isRunning(pid)).toBe(true);
    await service.close();
    expect(isRunning(pid)).toBe(false);
  });
});

describe('foray models check', () => {
  const leaky = (body: string): string => `
import functools, itertools, random
from typing import TypedDict
from foray_model import model
seen, counter, cache = [], itertools.count(), {}
class Result(TypedDict):
    y: float
@model
def leaky(x: float = 1.0, *, seed: int = 1, rng: random.Random) -> Result:
    ${body}
    return {"y": float(y)}
`;
  const leaks: [what: string, body: string, how: string | undefined][] = [
    ['a list of earlier inputs', 'seen.append(x); y = sum(seen)', 'after other runs'],
    ['a counter', 'y = next(counter)', 'after other runs'],
    ['a cache without the seed', 'y = cache.setdefault(x, rng.random())', 'after other runs'],
    [
      'the order of a set',
      'y = list({"rome", "oslo", "bern", "kiev", "lima"}).index("rome")',
      'PYTHONHASHSEED',
    ],
    ['the clock', 'import time; y = time.time()', 'in two processes'],
    ['the process', 'import os; y = os.getpid()', 'in two processes'],
    ['no leak: a good cache', 'y = cache.setdefault(x, x * 2) * rng.random()', undefined],
    ['no leak: the shared generator', 'y = random.random() * x', undefined],
  ];

  test('finds outputs that depend on more than the inputs, and nothing else', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'leaky'));
    for (const [what, body, how] of leaks) {
      writeFileSync(join(folder, 'leaky/model.py'), leaky(body));
      const { code, stderr } = await foray(folder, ['models', 'check', 'leaky']);
      expect([what, code]).toEqual([what, how === undefined ? 0 : 1]);
      if (how !== undefined) expect(stderr).toMatch(new RegExp(`${how}.*"Y" is \\S+ and \\S+\\.`));
    }
  });

  test('says what is wrong in a file', async () => {
    const folder = temporaryFolder();
    expect((await foray(folder, ['models', 'new', 'Tea room', '--python'])).code).toBe(0);
    const checked = await foray(folder, ['models', 'check', 'tea-room']);
    expect([checked.code, checked.stdout]).toEqual([
      0,
      expect.stringContaining('Tea room: 3 inputs, 2 outputs'),
    ]);
    const file = join(folder, 'tea-room/model.py');
    writeFileSync(file, readFileSync(file, 'utf8').replace(' -> Result', ''));
    const { code, stderr } = await foray(folder, ['models', 'check', 'tea-room']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('must say what it returns: a TypedDict')]);
  });
});

test('serve answers each line in Python, in the process itself and in copies of it', async () => {
  const folder = temporaryFolder();
  for (const fork of ['False', 'True']) {
    writeFileSync(
      join(folder, 'sim.py'),
      `import sys\nsys.path.insert(0, ${JSON.stringify(join(ROOT, 'python'))})
import random\nfrom foray_model import serve\nruns = []\ndef run(inputs):
    runs.append(1); print("noise"); return {"Y": random.random(), "Runs": len(runs), "Long": "x" * inputs["N"]}
serve(run, fork=${fork})\n`,
    );
    const lines = [1, 2].map((run) => JSON.stringify({ run, inputs: { '{RANDOM_SEED}': 1, N: 200_000 } }));
    const asked = promisify(execFile)('python3', ['sim.py'], { cwd: folder, maxBuffer: 2 ** 24 });
    asked.child.stdin!.end(`${lines.join('\n')}\n`);
    const said = (await asked).stdout.trimEnd().split('\n');
    const [ready, ...answers] = said.map(
      (line) => JSON.parse(line) as { outputs: { Y: number; Runs: number } },
    );
    expect(ready).toEqual({ ready: {} });
    const [one, two] = answers.map(({ outputs }) => outputs) as [
      { Y: number; Runs: number },
      { Y: number; Runs: number },
    ];
    expect(one.Y).toBe(two.Y);
    expect([one.Runs, two.Runs]).toEqual(fork === 'True' ? [1, 1] : [1, 2]);
  }
});
