import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, jest, test } from '@jest/globals';
import type { ForayError } from '../../src/errors.ts';
import { placeOf } from '../../src/service/models/folder.ts';
import { readTriable, tryModel } from '../../src/service/trials/trial.ts';
import { temporaryFolder } from '../service/support.ts';

/** What a function in Python declares, what it is given, what it may return, and what is said about mistakes. */

/** Writes a file with a model, and returns its path. */
function written(source: string, name = 'model.py'): string {
  const file = join(temporaryFolder(), 'faulty', name);
  mkdirSync(dirname(file));
  writeFileSync(
    file,
    `import enum, math, os, random, sys
from dataclasses import dataclass
from typing import Annotated, Literal, Optional, TypedDict
from foray_model import Curve, File, Max, Min, model
class Result(TypedDict):
    y: float
${source}`,
  );
  return file;
}

/** Runs a model once, as if its run was long: the comparison of further runs is the subject of functions.test.ts. */
async function tried(file: string, values: Record<string, string> = {}) {
  const lines: string[] = [];
  const model = await readTriable(placeOf(file, []));
  let now = 0;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => (now += 100_000));
  const trial = await tryModel(
    model,
    { values: new Map(Object.entries(values)), files: new Map() },
    { onProgress() {}, onLine: (line) => lines.push(line) },
  ).finally(() => clock.mockRestore());
  return { ...trial, lines };
}

const problemOf = (file: string): Promise<ForayError> =>
  tried(file).then(
    () => Promise.reject(new Error('the model is right')),
    (error: ForayError) => error,
  );

test('numbers have the types that the hints say, whatever the value', async () => {
  const file = written(`
class Types(TypedDict):
    x: str
    n: str
    items: str
    big: int
@model
def faulty(x: float = 2.0, /, n: int = 3, items: list[float] = [1], big: int = 2**60 + 1, names: list[str] = []) -> Types:
    return {"x": repr(x), "n": repr(n), "items": repr(items), "big": big}
`);
  expect((await tried(file)).outputs).toEqual({
    X: '"2.0"',
    N: '"3"',
    Items: '"[1.0]"',
    Big: '1152921504606846977',
  });
  const given = await tried(file, { X: '-4', Items: '[2, 3.5]', Big: '9007199254740993' });
  expect(given.outputs).toMatchObject({ X: '"-4.0"', Items: '"[2.0, 3.5]"', Big: '9007199254740993' });
  await expect(tried(file, { Items: '2, 3' })).rejects.toThrow(
    'the input "Items" is no list such as [1, 2.5]',
  );
  await expect(tried(file, { Names: '{"a": 1}' })).rejects.toThrow(
    'the input "Names" is no list such as [1, 2.5]: it is of the type dict',
  );
});

test('a hint may be Optional, and an output may be NotRequired', async () => {
  const file = written(`
try:
    from typing import NotRequired
except ImportError:  # before Python 3.11
    NotRequired = Optional
class Some(TypedDict):
    y: float
    z: NotRequired[Annotated[float, "Other"]]
@model
def faulty(x: Optional[float] = 2.0, data: Optional[File] = None, more: Annotated[Optional[File], "More"] = None, *,
           rng: Optional[random.Random] = None) -> Some:
    y = x + (data is None) + (more is None) + 0 * rng.random()
    return {"y": y, "z": None} if NotRequired is Optional else {"y": y}
`);
  const { declaration, outputs } = await tried(file);
  expect(declaration.inputs.map(({ name, type }) => [name, type])).toEqual([
    ['{RANDOM_SEED}', 'LONG'],
    ['X', 'DOUBLE'],
    ['Data', 'INPUT_FILE'],
    ['More', 'INPUT_FILE'],
  ]);
  expect(declaration.outputs.map(({ name }) => name)).toEqual(['Y', 'Other']);
  expect(outputs).toEqual({ Y: '4', Other: 'null' });
});

test('an output may be left out, and another one may not, if annotations are texts', async () => {
  const file = written('');
  const text = `from __future__ import annotations
from typing import Annotated, Optional, TypedDict
from foray_model import model
try:
    from typing import NotRequired, Required
except ImportError:  # before Python 3.11
    NotRequired = Required = Optional
class Some(TypedDict, total=False):
    always: Required[float]
class All(Some):
    y: NotRequired[Annotated[float, "Other"]]
@model
def faulty(x: float = 2.0) -> All:
    more = {"y": None} if NotRequired is Optional else {}
    return {"always": x, **more} if x > 1 else {"y": x}
`;
  writeFileSync(file, text);
  expect((await tried(file)).outputs).toEqual({ Always: '2', Other: 'null' });
  await expect(tried(file, { X: '1' })).rejects.toThrow('the output "Always" was not given');
});

test('an Enum has the only values of its input, and a run gets its member', async () => {
  const file = written(`
class Policy(enum.Enum):
    FIRST = "first come"
    SHORT = "shortest first"
class Size(enum.IntEnum):
    SMALL = 1
    LARGE = 10
@model
def faulty(policy: Policy = Policy.FIRST, size: Annotated[Size, " Size of the hall "] = Size.SMALL) -> Result:
    return {"y": size.value + 100 * (policy is Policy.SHORT)}
`);
  const { declaration, outputs } = await tried(file, { Policy: 'shortest first', 'Size of the hall': '10' });
  expect(declaration.inputs).toMatchObject([
    { name: 'Policy', type: 'STRING', values: ['first come', 'shortest first'], default: 'first come' },
    { name: 'Size of the hall', type: 'LONG', values: [1, 10], default: 1 },
  ]);
  expect(outputs).toEqual({ Y: '110' });
  expect((await tried(file)).outputs).toEqual({ Y: '1' });
});

test('a curve is a pair, a list, or a column of a table', async () => {
  // the columns stand for those of pandas and polars
  const file = written(`
class Column(list):
    index = property()
    def to_numpy(self):
        return list(self)
class Series(Column):
    index = [5, 6]
class Curves(TypedDict):
    pair: Curve
    lists: Curve
    two: Curve
    column: Curve
    series: Curve
@model
def faulty() -> Curves:
    return {"pair": ([1, 2], [3, 4]), "lists": [[1, 2], [3, 4]], "two": (3, 4), "column": Column([3, 4]),
            "series": Series([3, 4])}
`);
  const curve = (x: number[]): string => JSON.stringify({ dataX: x, dataY: [3, 4] });
  expect((await tried(file)).outputs).toEqual({
    Pair: curve([1, 2]),
    Lists: curve([1, 2]),
    Two: curve([0, 1]),
    Column: curve([0, 1]),
    Series: curve([5, 6]),
  });
});

test('the seed has its own default and limits, and an output may be None', async () => {
  const file = written(`
@dataclass
class Result:
    __slots__ = ("seed", "none")
    seed: int
    none: Optional[float]
@model
def faulty(x: Annotated[float, Min(-math.inf), Max(9)] = 2.0, *, seed: Annotated[int, Min(3), Max(2**32 - 1)] = 7) -> Result:
    return Result(seed, None if random.random() < 2 else x)
`);
  const { declaration, outputs, lines } = await tried(file);
  expect(declaration.inputs).toEqual([
    expect.objectContaining({ name: '{RANDOM_SEED}', default: 7, min: 3, max: 4294967295 }),
    expect.objectContaining({ name: 'X', max: 9 }),
  ]);
  expect(declaration.inputs[1]).not.toHaveProperty('min');
  expect(outputs).toEqual({ Seed: '7', None: 'null' });
  // a model with a seed may draw
  expect(lines).toEqual([]);
});

test('a model is checked although a link of its folder leads in a circle', async () => {
  const file = written('@model\ndef faulty() -> Result:\n    return {"y": 1.0}\n');
  symlinkSync('.', join(dirname(file), 'self'));
  expect((await tried(file)).outputs).toEqual({ Y: '1' });
});

test('a model that draws without a seed is told so', async () => {
  const draws = '@model\ndef faulty(x: float = 1.0) -> Result:\n    return {"y": random.random()}\n';
  const told = (await tried(written(draws))).lines.filter((line) => line.includes('has no seed'));
  expect(told).toEqual([expect.stringContaining('each run draws the same ones. Declare {RANDOM_SEED}')]);
});

describe('a mistake is named:', () => {
  const parameters: [parameters: string, message: string][] = [
    ['*rates: float', 'the input "rates" of faulty stands for any number of inputs'],
    ['x: float', 'the input "x" of faulty needs a default value'],
    ['x: float = math.inf', 'has the default inf, which is no finite number'],
    ['x: float = "1"', "has the default '1', which is no finite number"],
    ['n: int = 2.5', 'has the default 2.5, which is no int'],
    ['data: File = "rates.csv"', 'is a file that a run is given, so its default is None'],
    ['x: Annotated[float, type("Gt", (), {"gt": 0})()] = 1.0', '"X" has a limit that it may not reach'],
    ['x: [float] = 1.0', "has the type [<class 'float'>]; use bool, int, float"],
    ['kind: enum.Enum("Kind", "a b") = 1', 'has the default 1, which is no Kind'],
    ['kind: Literal["a", 1] = "a"', "has values of several types: ['a', 1]"],
    ['*, rng: dict', "rng has the type <class 'dict'>; use random.Random"],
  ];
  test.each(parameters)('def faulty(%s)', async (given, message) => {
    const file = written(`@model\ndef faulty(${given}) -> Result:\n    return {"y": 1.0}\n`);
    expect((await problemOf(file)).message).toContain(message);
  });

  test.each([
    ['@model\nasync def faulty(x: float = 1.0) -> Result:\n    return {"y": x}\n'],
    ['@model\ndef faulty(x: float = 1.0) -> Result:\n    yield {"y": x}\n'],
    ['@model\nclass Faulty:\n    pass\n'],
    ['@model("Faulty")\ndef faulty(x: float = 1.0) -> Result:\n    return {"y": x}\n'],
  ])('%j', async (source) => {
    const error = await problemOf(written(source));
    expect(error.message).toContain('stands before a function without async and yield');
    expect(error.place).toMatchObject({ line: 7 });
  });

  test.each([
    ['    return {"y": math}', 'the output "Y" cannot be sent: module is not a value of an output'],
    ['    return {"y": ([1, 2, 3], [4, 5])}', 'dataX has 3 numbers, and dataY has 2'],
    ['    return {"y": 3}', 'the output "Y" is a curve: a list y, a pair of lists x and y'],
  ])('%s', async (body, message) => {
    const kind = body.includes('math') ? 'float' : 'Curve';
    const file = written(
      `class Result(TypedDict):\n    y: ${kind}\n@model\ndef faulty() -> Result:\n${body}\n`,
    );
    expect((await problemOf(file)).message).toContain(message);
  });

  test('a file that ends its process, that lacks a package, or that hides a module of Python', async () => {
    expect((await problemOf(written('sys.exit(0)\n'))).message).toContain('it ended its process');
    const { message, hint } = await problemOf(written('import no_such_package\n'));
    expect(message).toContain("No module named 'no_such_package'");
    expect(hint).toMatch(
      /^It runs with python3\. Make an environment with the package: .*\.venv, and then .*install PACKAGE$/,
    );
    const hides = await problemOf(written('', 'queue.py'));
    expect(hides.message).toContain('queue.py would hide the module queue of Python');
  });

  test('a module beside a model that is a single file', async () => {
    const file = written('import helper\n@model\ndef faulty() -> Result:\n    return {"y": 1.0}\n');
    writeFileSync(join(dirname(file), 'helper.py'), '');
    const warningsOf = async (isSingleFile: boolean): Promise<string[]> =>
      (await readTriable({ ...placeOf(file, []), isSingleFile })).warnings;
    expect(await warningsOf(true)).toEqual([
      expect.stringContaining('is a single file, so helper.py beside it is no part of it'),
    ]);
    expect(await warningsOf(false)).toEqual([]);
  });

  test('a file that is beside the model, when it is loaded and when it runs', async () => {
    for (const where of ['', '    ']) {
      const file = written(`
@model
def faulty() -> Result:
    return {"y": 1.0${where === '' ? '' : ' + len(open("rates.csv").read())'}}
${where === '' ? 'open("rates.csv").close()' : ''}
`);
      writeFileSync(join(dirname(file), 'rates.csv'), '1');
      expect([basename(file), (await problemOf(file)).message]).toEqual([
        'model.py',
        expect.stringContaining('write os.path.join(os.path.dirname(__file__), "rates.csv")'),
      ]);
    }
  });
});
