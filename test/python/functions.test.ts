import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, jest, test } from '@jest/globals';
import type { Version } from '../../src/api/resources.ts';
import { messageOf } from '../../src/errors.ts';
import { placeOf } from '../../src/service/models/folder.ts';
import type { ServiceOptions } from '../../src/service/service-options.ts';
import { readTriable, tryModel } from '../../src/service/trials/trial.ts';
import { foray, isRunning, ROOT } from '../support/cli.ts';
import {
  messageIn,
  outputsOf,
  reach,
  requestRun,
  startTestService,
  temporaryFolder,
  type TestService,
  until,
} from '../service/support.ts';

/** Models in Python: functions with @model, and programs that call `serve`. */

/** What a run does wrong, and the reason why it fails; undefined if it completes. */
const faults: [what: string, body: string, reason?: string][] = [
  ['raise', 'raise ValueError("bad density")', 'ValueError: bad density'],
  ['exit', 'sys.exit("the shop is closed")', 'the shop is closed'],
  ['exit 0', 'sys.exit(0)', 'the model called sys.exit(0)'],
  ['no text', 'raise type("Mute", (Exception,), {"__str__": lambda self: 1})()', 'Mute'],
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
  ['redirect', 'os.dup2(os.open("errors.txt", os.O_CREAT | os.O_WRONLY), 2)'],
  ['timer', 'signal.setitimer(signal.ITIMER_PROF, 0.001)'],
  ['own files', 'import shutil; shutil.rmtree(os.environ["FORAY_MODEL_DIR"]); shutil.rmtree(os.getcwd())'],
  ['date', 'import datetime; return {"y": datetime.date(2026, 1, 1)}', 'the output "Y" cannot be sent: date'],
  ['replace', 'import io; sys.stdout = io.StringIO()'],
  ['environment', 'os.environ = {"PATH": "/nowhere"}'],
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
        assert os.environ.get("TZ") != "Asia/Tokyo" and "/nowhere" not in [*sys.path, os.environ["PATH"]]
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL and signal.alarm(0) == 0
    return {"y": float(number)}
`;

async function serve(source: string, options: Partial<ServiceOptions> = {}): Promise<TestService> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'faulty'));
  writeFileSync(join(folder, 'faulty/model.py'), source);
  return startTestService({ modelDirs: [folder], executors: 1, ...options });
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
    const { body: models } = await service.get<{ id: string }[]>('/models');
    const { body } = await service.get<Version>(`/models/${models[0]!.id}/versions/number/1`);
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

  test('may write files when it is loaded, also into its folder', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'faulty'));
    writeFileSync(
      join(folder, 'faulty/model.py'),
      `import logging, os
from typing import TypedDict
from foray_model import model
logging.basicConfig(filename="model.log", level=logging.INFO)
logging.info("loaded")
open(os.path.join(os.path.dirname(__file__), "cache.txt"), "a").write("loaded")
class Result(TypedDict):
    y: float
@model
def faulty(x: float = 2.0) -> Result:
    return {"y": x}
`,
    );
    const service = await startTestService({ modelDirs: [folder], executors: 1 });
    expect((await outputsOf(service, await service.latest('Faulty'))).get('Y')).toBe('2');
    expect(readdirSync(join(folder, 'faulty'))).toEqual(['model.py']);
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

  test('ends only the run that never ends, does not hear a signal, or takes too much memory', async () => {
    const service = await serve(
      `
import signal, time
from typing import Annotated, TypedDict
from foray_model import Name, model
class Result(TypedDict):
    y: float
@model
def faulty(what: str = "", number: int = 0, limit: Annotated[int, Name("{MAX_MEMORY_MB}")] = 100) -> Result:
    taken = []
    if what == "deaf":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while what in ("endless", "deaf"):
        time.sleep(0.1)
    while what == "memory":
        taken.append(bytearray(20_000_000))
        time.sleep(0.01)
    if what == "long":
        print("x" * 1_000_000)
        with open("left.txt", "w") as file:
            file.write("left")
    return {"y": float(number)}
`,
      // the other runs end in time also on a busy machine
      { runTimeout: 10 },
    );
    const version = await service.latest('Faulty');
    const limit = 'longer than the time limit of the service: 10 s';
    const cases = { endless: limit, deaf: limit, memory: 'more memory than it may take: 100 MB', long: '' };
    for (const [number, [what, reason]] of Object.entries(cases).entries()) {
      const { body: run } = await requestRun(service, version, { What: what, Number: number });
      if (reason === '') await reach(service, run, 'COMPLETED');
      else expect(messageIn(await reach(service, run, 'FAILED')).title).toContain(reason);
      expect((await outputsOf(service, version, { Number: 100 + number })).get('Y')).toBe(
        String(100 + number),
      );
    }
  });

  test('loses no run when its processes are killed, and leaves none', async () => {
    const pids = temporaryFolder();
    const service = await serve(
      `
import os, time
from typing import TypedDict
from foray_model import model
class Result(TypedDict):
    y: float
@model
def faulty(number: int = 0) -> Result:
    # a process that still loads the model is not killed: the same run could be killed too often
    open(os.path.join(${JSON.stringify(pids)}, str(os.getpid())), "w").close()
    time.sleep(0.005)
    return {"y": float(number)}
`,
      { executors: 2 },
    );
    const version = await service.latest('Faulty');
    const living = (): number[] => readdirSync(pids).map(Number).filter(isRunning);
    const runs = [];
    for (let number = 0; number < 120; number += 1)
      runs.push((await requestRun(service, version, { Number: number })).body);
    for (let kills = 0; kills < 6; kills += 1) {
      // the runs up to this one have ended, so the processes are used
      await reach(service, runs[kills * 15]!, 'COMPLETED');
      const pid = await until(() => living()[0], 'a process');
      process.kill(pid, 'SIGKILL');
    }
    for (const [number, run] of runs.entries()) {
      await reach(service, run, 'COMPLETED');
      expect((await outputsOf(service, version, { Number: number })).get('Y')).toBe(String(number));
    }
    await service.close();
    expect(living()).toEqual([]);
  });
});

describe('foray models check', () => {
  const leaky = (body: string): string => `
import decimal, functools, itertools, math, os, random, threading, time
from typing import TypedDict
from foray_model import model
counter, cache, table, guess, own = itertools.count(), {}, [3, 1, 2], [1.0], random.Random(7)
class Agent:
    made = 0
    def __init__(self):
        Agent.made += 1
        self.id = Agent.made
def kept(value, values=[]):
    values.append(value)
    return values
@functools.lru_cache
def drawn(x):
    return random.random() * x
def root(x):
    for _ in range(3):
        guess[0] = (guess[0] + x / guess[0]) / 2
    return guess[0]
class Result(TypedDict):
    y: float
@model
def leaky(x: float = 1.0, *, seed: int = 1, rng: random.Random) -> Result:
    ${body}
    return {"y": float(y)}
`;
  const leaks: [what: string, body: string, how: string | undefined][] = [
    [
      'the order of a set',
      'y = list({"rome", "oslo", "bern", "kiev", "lima"}).index("rome")',
      'PYTHONHASHSEED',
    ],
    ['the clock', 'import time; y = time.time()', 'in two processes'],
    ['a generator of the file', 'y = own.random()', 'after other runs'],
    ['a mutable default', 'y = len(kept(x))', 'after other runs'],
    ['ids of agents', 'y = sum(sorted(Agent().id for _ in range(12))[:3])', 'after other runs'],
    [
      'the context of decimals',
      'y = decimal.Decimal(1) / 3; decimal.getcontext().prec = 5',
      'after other runs',
    ],
    ['a cached function that draws', 'y = drawn(x)', 'after other runs'],
    ['a table that is sorted in place', 'y = table[0]; table.sort()', 'after other runs'],
    ['the last solution as the first guess', 'y = root(x + seed % 2)', 'after other runs'],
    ['a replaced function', 'y = math.floor(2.5); math.floor = math.ceil', 'after other runs'],
    [
      'a thread that stays',
      'threading.Thread(target=time.sleep, args=(99,), daemon=True).start(); y = threading.active_count()',
      'after other runs',
    ],
    [
      'a file outside the working folder',
      'open("FILE", "a").write("."); y = os.path.getsize("FILE")',
      'in two processes',
    ],
    [
      'no leak: a good cache, the shared generator and the environment',
      'y = cache.setdefault(x, x * 2) * rng.random() + random.random() + len(os.environ); os.environ[str(seed)] = "1"',
      undefined,
    ],
  ];

  test.each(leaks)('with %s, says what it has found', async (_what, body, how) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'leaky'));
    const file = join(folder, 'leaky/model.py');
    writeFileSync(file, leaky(body.replaceAll('FILE', join(folder, 'state'))));
    const model = await readTriable(placeOf(file, []));
    const found = await tryModel(
      model,
      { values: new Map(), files: new Map() },
      { onProgress() {}, onLine() {} },
    ).then(() => undefined, messageOf);
    expect(found).toEqual(how && expect.stringMatching(new RegExp(`${how}.*"Y" is \\S+ and \\S+\\.`)));
  });

  /** What the check says about a model with these lines before its function, and with this body. */
  async function checked(top: string, body: string) {
    const file = join(temporaryFolder(), 'leaky/model.py');
    mkdirSync(join(file, '..'));
    writeFileSync(
      file,
      `import concurrent.futures, os
from typing import TypedDict
from foray_model import model
${top}
class Result(TypedDict):
    y: float
@model
def leaky(x: float = 1.0, z: float = 2.0, *, seed: int = 1) -> Result:
    ${body}
`,
    );
    const nothing = { values: new Map<string, string>(), files: new Map<string, string>() };
    return tryModel(await readTriable(placeOf(file, [])), nothing, { onProgress() {}, onLine() {} });
  }

  test('finds a run that fails because another run was there before', async () => {
    const made = join(temporaryFolder(), 'made');
    await expect(checked('', `os.mkdir("${made}"); return {"y": x}`)).rejects.toThrow(
      /different results in two processes with the same inputs: one run gave outputs, and the other failed: FileExistsError/,
    );
  });

  test('finds a result that is kept for other values of a later input', async () => {
    await expect(checked('cache = {}', 'return {"y": cache.setdefault((x, z), z)}')).resolves.toBeDefined();
    await expect(checked('cache = {}', 'return {"y": cache.setdefault(x, z)}')).rejects.toThrow(
      /after other runs of the same process.*"Y" is/,
    );
  });

  test('says why runs need a new process', async () => {
    const twice = await checked(
      'runs = []',
      'runs.append(1); assert len(runs) < 2, "no second run"; return {"y": x}',
    );
    expect(twice.warnings).toEqual([
      expect.stringMatching(
        /completed in a new one: AssertionError: no second run\. foray executes each such/,
      ),
    ]);
    const threads = await checked(
      'pool = concurrent.futures.ThreadPoolExecutor()',
      'return {"y": pool.submit(float, x).result()}',
    );
    expect(threads.warnings).toEqual([
      expect.stringMatching(/needs a new process after a run, because the thread .* still runs/),
    ]);
  });

  test('says that it has not compared the outputs of a long run', async () => {
    let now = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => (now += 31_000));
    const { warnings } = await checked('', 'return {"y": x}').finally(() => clock.mockRestore());
    expect(warnings).toEqual([expect.stringMatching(/ran only once, because its run took \d+ s\./)]);
  });

  test('exits with 1 and names the two values', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'leaky'));
    writeFileSync(join(folder, 'leaky/model.py'), leaky('y = next(counter)'));
    const { code, stderr } = await foray(folder, ['models', 'check', 'leaky']);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/after other runs.*"Y" is 0\.?0? and \d/)]);
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
    expect(ready).toMatchObject({ ready: { python: expect.stringMatching(/^3\./), packages: {} } });
    const [one, two] = answers.map(({ outputs }) => outputs) as [
      { Y: number; Runs: number },
      { Y: number; Runs: number },
    ];
    expect(one.Y).toBe(two.Y);
    expect([one.Runs, two.Runs]).toEqual(fork === 'True' ? [1, 1] : [1, 2]);
  }
});

test.each([
  ['import io; sys.stdout = sys.stderr = io.StringIO()'],
  ['sys.stdout = sys.stderr = None'],
  [
    'sys.stdout = sys.stderr = type("Tee", (), {"write": lambda self, text: None, "flush": lambda self: None})()',
  ],
  ['pass'],
])('a report of progress that is no number fails no run in Python, with %s', async (streams) => {
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, 'sim.py'),
    `import sys\nsys.path.insert(0, ${JSON.stringify(join(ROOT, 'python'))})
from foray_model import serve\n${streams}\ndef run(inputs, progress):
    print("noise \\udc80"); progress(None); progress("x"); progress(0.5); return {"Y": 1}
serve(run)\n`,
  );
  const asked = promisify(execFile)('python3', ['sim.py'], { cwd: folder });
  asked.child.stdin!.end('{"run": 1, "inputs": {}}\n');
  const said = (await asked).stdout.trimEnd().split('\n');
  expect(said.map((line) => JSON.parse(line) as unknown)).toEqual([
    { ready: expect.any(Object) },
    { run: 1, progress: 0.5 },
    { run: 1, outputs: { Y: 1 } },
  ]);
});

test('serve gives progress to no other parameter that has a default', async () => {
  const folder = temporaryFolder();
  writeFileSync(
    join(folder, 'sim.py'),
    `import sys\nsys.path.insert(0, ${JSON.stringify(join(ROOT, 'python'))})
from foray_model import serve
serve(lambda inputs, factor=3: {"Y": 2 * factor})\n`,
  );
  const asked = promisify(execFile)('python3', ['sim.py'], { cwd: folder });
  asked.child.stdin!.end('{"run": 1, "inputs": {}}\n');
  expect((await asked).stdout.trimEnd().split('\n').at(-1)).toBe('{"run": 1, "outputs": {"Y": 6}}');
});
