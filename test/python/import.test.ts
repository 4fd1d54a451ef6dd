import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { ForayError } from '../../src/errors.ts';
import { importModel, writeModel } from '../../src/service/models/import.ts';
import { ROOT } from '../support/cli.ts';
import { Imports } from './imports.ts';

/** `foray models import` of FMUs and input decks, and runs of what it writes. */

let imports: Imports;
let folder: string;
beforeAll(async () => {
  imports = await Imports.open();
  ({ folder } = imports);
});
afterAll(() => imports.close());

describe('an FMU', () => {
  const variables = [
    '<ScalarVariable name="x" valueReference="0" causality="output" variability="continuous" initial="exact"><Real start="1" unit="m" min="-9"/></ScalarVariable>',
    '<ScalarVariable name="X" valueReference="1" causality="parameter" variability="fixed"><Real start="1" min="0.1" max="5"/></ScalarVariable>',
    '<ScalarVariable name="u" valueReference="2" causality="input"><Real start="0"/></ScalarVariable>',
    '<ScalarVariable name="again" valueReference="1" causality="parameter" variability="fixed"><Real start="1"/></ScalarVariable>',
    '<ScalarVariable name="steps" valueReference="0" causality="output" variability="discrete"><Integer/></ScalarVariable>',
    '<ScalarVariable name="limit" valueReference="1" causality="parameter" variability="fixed"><Integer start="0" min="1"/></ScalarVariable>',
    '<ScalarVariable name="state" valueReference="0" causality="output" variability="discrete"><String/></ScalarVariable>',
    '<ScalarVariable name="STEPS" valueReference="1" causality="output" variability="discrete"><Integer/></ScalarVariable>',
    '<ScalarVariable name="x over time" valueReference="2" causality="output" variability="continuous"><Real/></ScalarVariable>',
  ];

  /** Compiles the FMU of the gallery with another description. */
  function make(name: string, kind = 'CoSimulation'): void {
    const description = `<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Decay" guid="{decay}" description="Something decays.">
<${kind} modelIdentifier="decay"/>
<UnitDefinitions><Unit name="m"/></UnitDefinitions>
<DefaultExperiment startTime="0" stopTime="2" stepSize="0.5"/>
<ModelVariables>${variables.join('\n')}</ModelVariables>
<ModelStructure><Outputs>${[1, 5, 7, 8, 9].map((index) => `<Unknown index="${index}"/>`).join('')}</Outputs></ModelStructure>
</fmiModelDescription>`;
    const place = join(folder, `${name}.parts`);
    mkdirSync(join(place, 'binaries/linux64'), { recursive: true });
    writeFileSync(join(place, 'modelDescription.xml'), description);
    const source = join(ROOT, 'examples/gallery/fmu/decay.c');
    execFileSync('cc', ['-shared', '-fPIC', '-o', join(place, 'binaries/linux64/decay.so'), source, '-lm']);
    const zip =
      'import shutil, sys; shutil.move(shutil.make_archive(sys.argv[1], "zip", sys.argv[2]), sys.argv[1])';
    execFileSync('python3', ['-c', zip, join(folder, name), place]);
  }

  test('becomes a model with its start values, bounds and units, and tells what is left out', async () => {
    make('decay.fmu');
    const { code, stdout } = await imports.run(['import', 'decay.fmu']);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('Made decay/model.yaml, decay/sim.py, decay/model.fmu'),
    ]);
    const left = stdout.slice(stdout.indexOf('Left out:'), stdout.indexOf('Change'));
    expect(left.trim().split('\n').slice(1)).toEqual([
      '  again: another name of X',
      '  the min 1 of limit: the start value 0 is outside',
      '  state: a String as output',
    ]);
    expect(readFileSync(join(folder, 'decay/model.yaml'), 'utf8').split('\n').slice(4)).toEqual([
      'inputs:',
      '  - { name: x, type: DOUBLE, units: m, default: 1, min: -9 }',
      '  - { name: X (2), type: DOUBLE, default: 1, min: 0.1, max: 5 }',
      '  - { name: u, type: DOUBLE, default: 0 }',
      '  - { name: limit, type: INTEGER, default: 0 }',
      '  - { name: Stop time, type: DOUBLE, default: 2, min: 0 }',
      '  - { name: Interval, type: DOUBLE, default: 0.5, min: 0 }',
      '  - { name: Input table, type: INPUT_FILE, default: "" }',
      'outputs:',
      '  - { name: x (end), type: DOUBLE, units: m }',
      '  - { name: x over time, type: DATA_SET, units: m }',
      '  - { name: steps, type: INTEGER }',
      '  - { name: steps over time, type: DATA_SET }',
      '  - { name: STEPS (2), type: INTEGER }',
      '  - { name: STEPS over time (2), type: DATA_SET }',
      '  - { name: x over time (2), type: DOUBLE }',
      '  - { name: x over time over time, type: DATA_SET }',
      '',
    ]);
  });

  test('has the exact solution, also with inputs over time, and a run that it refuses fails with the reason', () => {
    // u is 2 from the start, so x stays where u / k = x
    const table = join(folder, 'table.csv');
    writeFileSync(table, 'time,u\n0,2\n9,2\n');
    const [first, ...answers] = imports.answers(
      'decay',
      { 'X (2)': 0.7, x: 3, 'Stop time': 4 },
      { x: 2, 'Input table': table },
      { 'Stop time': 0 },
      { limit: 3 },
    );
    const ended = first as Record<string, unknown>;
    expect(ended['x (end)']).toBeCloseTo(3 * Math.exp(-0.7 * 4), 12);
    expect(ended['steps']).toBe(8);
    const curve = ended['x over time'] as { dataX: number[]; dataY: number[] };
    expect(curve.dataX).toEqual([0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4]);
    curve.dataX.forEach((x, at) => expect(curve.dataY[at]).toBeCloseTo(3 * Math.exp(-0.7 * x), 12));
    expect(answers).toEqual([
      expect.objectContaining({
        'x over time': expect.objectContaining({ dataY: [2, 2, 2, 2, 2] }),
        'STEPS (2)': 0,
        'x over time (2)': 2,
      }),
      expect.stringContaining('Stop time must be greater than 0'),
      expect.stringContaining('fmi2DoStep failed with status 3'),
    ]);
  });

  test('is refused if it is for model exchange only, or if fmpy is missing', async () => {
    make('exchange.fmu', 'ModelExchange');
    const { code, stderr } = await imports.run(['import', 'exchange.fmu']);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('is no co-simulation FMU, only one for model exchange'),
    ]);
    writeFileSync(join(folder, 'text.fmu'), 'no archive');
    expect((await imports.run(['import', 'text.fmu'])).stderr).toContain('text.fmu cannot be read as an FMU');
    expect((await imports.run(['import', 'decay.fmu', '--to', 'decay'])).stderr).toContain(
      'decay already exists',
    );
    expect((await imports.run(['import', 'none.fmu'])).stderr).toContain(
      'There is no file or folder none.fmu',
    );
    // an environment without packages
    mkdirSync(join(folder, 'bare/bin'), { recursive: true });
    writeFileSync(join(folder, 'bare/bin/python'), '#!/bin/sh\nexec python3 -S "$@"\n');
    chmodSync(join(folder, 'bare/bin/python'), 0o755);
    for (const [source, what] of [
      ['decay.fmu', 'fmpy'],
      ['wealth:Wealth', 'mesa'],
    ] as const) {
      const bare = await imports.run(['import', source, '--to', 'bare-model'], {
        environment: join(folder, 'bare'),
      });
      expect([bare.code, bare.stderr]).toEqual([
        2,
        expect.stringMatching(new RegExp(`-m pip install ${what}`)),
      ]);
    }
  });
});

describe('a deck', () => {
  const PROGRAM = `import math, sys
numbers = dict(line.split(" = ") for line in open("throw.in").read().splitlines())
speed, angle = float(numbers["speed"]), math.radians(float(numbers["angle"]))
print("range:", "*****" if speed > 900 else "%.6e" % (speed ** 2 * math.sin(2 * angle) / 9.81))
print("range:", ("%.9e" % (speed ** 2 * math.sin(2 * angle) / 9.81)).replace("e", "D"), "metres")
print("seed", sys.argv[1], sys.argv[2])
if speed == 0: sys.exit("too slow")
end = 2 * speed * math.sin(angle) / 9.81
rows = [(end * k / 4, speed * math.sin(angle) * end * k / 4 - 9.81 * (end * k / 4) ** 2 / 2) for k in range(5)]
open("path.csv", "w").write("t, height\\n" + "".join("%r, %r\\n" % row for row in rows))
open("path.txt", "w").write("".join("%r   %r\\n" % row for row in rows))
open("path.json", "w").write('{"end": {"time": %r, "heights": [1, 2, 4]}}' % end)
open("path.xml", "w").write('<path edition="2"><point h="1"/><point h="2.5"/><name>stone</name></path>')
`;
  const DECK = `name: Throw
description: A stone flies.
command: [python3, throw.py, '{{RANDOM_SEED}}', '{{Label}}']
inputs:
  - { name: '{RANDOM_SEED}', type: LONG, default: 1 }
  - { name: Speed, units: m/s, default: 20, min: 0 }
  - { name: Angle, default: 45 }
  - { name: Label, type: STRING, default: a b }
outputs:
  - { name: First range, units: m, regex: '^range: (\\S+)', take: first }
  - { name: Range, units: m, after: 'range:' }
  - { name: Word, type: STRING, after: 'range:', word: 2 }
  - { name: Seed, type: LONG, regex: '^seed (\\d+) a b$' }
  - { name: Highest, file: path.csv, csv: height, take: max }
  - { name: Mean, file: path.csv, csv: height, take: mean }
  - { name: Landing, file: path.txt, csv: 1, delimiter: ' ' }
  - { name: Path, file: path.csv, csv: height, x: t }
  - { name: Time, file: path.json, json: end.time }
  - { name: Sum, file: path.json, json: end.heights, take: sum }
  - { name: Mean of points, file: path.xml, xml: point/@h, take: mean }
  - { name: Points, file: path.xml, xml: point/@h, take: count }
  - { name: Edition, type: LONG, file: path.xml, xml: path/@edition }
  - { name: Name, type: STRING, file: path.xml, xml: name }
  - { name: Table, file: path.csv }
`;
  const TEMPLATE = 'speed = {{Speed:6.2f}}\nangle = {{ Angle }}\n';

  function write(name: string, files: Record<string, string> = {}): string {
    const place = join(folder, name);
    mkdirSync(place, { recursive: true });
    const all = { 'deck.yaml': DECK, 'throw.py': PROGRAM, 'throw.in.tpl': TEMPLATE, ...files };
    for (const [file, text] of Object.entries(all)) writeFileSync(join(place, file), text);
    return place;
  }

  test('finds each kind of output', async () => {
    write('throw-deck');
    const { code, stdout } = await imports.run(['import', 'throw-deck']);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('the model Throw with 4 inputs and 15 outputs'),
    ]);
    const found = await imports.checked('throw', { Speed: 30, '{RANDOM_SEED}': 17 });
    // the parabola of a throw without air: its range, its greatest height, and its time
    const [range, height, time] = [
      900 / 9.81,
      (30 * Math.SQRT1_2) ** 2 / 2 / 9.81,
      (2 * 30 * Math.SQRT1_2) / 9.81,
    ];
    expect(found['First range']).toBeCloseTo(range, 4);
    expect(found['Range']).toBeCloseTo(range, 7);
    expect([found['Word'], found['Seed'], found['Sum']]).toEqual(['metres', 17, 7]);
    expect(found['Highest']).toBeCloseTo(height, 9);
    expect(found['Mean']).toBeCloseTo((height * (3 / 4 + 1 + 3 / 4)) / 5, 9);
    expect([found['Landing'], found['Time']]).toEqual([expect.closeTo(time, 9), expect.closeTo(time, 9)]);
    expect(found['Path']).toEqual({
      dataX: [0, 1, 2, 3, 4].map((k) => expect.closeTo((time * k) / 4, 9)),
      dataY: [0, 0.75, 1, 0.75, 0].map((share) => expect.closeTo(share * height, 9)),
    });
    expect([found['Mean of points'], found['Points'], found['Name']]).toEqual([1.75, 2, 'stone']);
    expect(found['Edition']).toBe(2);
    expect(found['Table']).toMatchObject({ localPath: 'path.csv' });
  });

  test('fails with the place if an output is missing, or if a value does not fit', async () => {
    const changed = (from: string, to: string) => DECK.replace(from, to);
    const reasonOf = async (name: string, files: Record<string, string>): Promise<string> => {
      writeModel(await importModel(write(name, files), folder), join(folder, `${name}-model`));
      return imports.reason(`${name}-model`);
    };
    expect(await reasonOf('lost', { 'deck.yaml': changed('seed (', 'sead (') })).toMatch(
      /the output "Seed" was not found: stdout\.txt has .*sead.* nowhere in its 3 lines; the last one is "seed 1 a b"/,
    );
    const way = changed('file: path.json, json: end.time', 'file: way.json, json: end.time');
    expect(await reasonOf('gone', { 'deck.yaml': way })).toMatch(
      /"Time" was not found: the program did not write way\.json; .*path\.json/,
    );
    expect(
      await reasonOf('fraction', { 'deck.yaml': changed('json: end.time', 'type: LONG, json: end.time') }),
    ).toMatch(/"Time" was not found: path\.json, end\.time: 2\.8\d+ is not a whole number/);
    expect(await reasonOf('infinite', { 'throw.py': PROGRAM.replace('[1, 2, 4]', '[1, NaN, 4]') })).toMatch(
      /"Sum" was not found: path\.json, end\.heights: nan is not a finite number/,
    );
    expect(imports.reason('throw', { Speed: 950 })).toMatch(
      /"First range" was not found: stdout\.txt, line 1: '\*\*\*\*\*' is not a finite number/,
    );
    expect(imports.reason('throw', { Speed: 12345.5 })).toMatch(
      /the value 12345\.5 of "Speed" takes 8 columns, but \{\{Speed:6\.2f\}\} in throw\.in has 6/,
    );
    const { code, stderr } = await imports.run(['check', 'throw', '--input', 'Speed=0']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('python3 ended with exit code 1')]);
    expect(stderr).not.toContain('Traceback');
  });

  test('reads what spreadsheets and Fortran write, executes a script that is a template, and follows links', async () => {
    const place = write('shared', {
      'deck.yaml': `name: Shared
command: [./run.sh]
inputs: [{ name: Scale, default: 2 }]
outputs:
  - { name: Height, file: out.csv, csv: height }
  - { name: Small, file: out.csv, csv: small }
  - { name: End, file: out.json, json: end }
  - { name: Rate, file: data/rates.txt, after: rate }
  - { name: Größe, type: LONG, file: out.json, json: all, take: sum }
  - { name: Of all, type: STRING, file: out.json, json: of }
`,
      'throw.in.tpl': '',
      'run.sh.tpl': `#!/bin/sh
printf '\\357\\273\\277height,small\\n{{Scale}},0.1234-100\\n  \\n' > out.csv
printf '\\357\\273\\277{"end": 5, "all": [9007199254740993, 2], "of": {"a": true}}' > out.json
`,
    });
    chmodSync(join(place, 'run.sh.tpl'), 0o755);
    mkdirSync(join(folder, 'data-elsewhere'));
    writeFileSync(join(folder, 'data-elsewhere/rates.txt'), 'rate 7');
    symlinkSync('../data-elsewhere', join(place, 'data'));
    symlinkSync('nothing', join(place, 'lost'));
    mkdirSync(join(place, 'results'));
    // the encoding of the terminal is not that of the deck
    const more = { PYTHONIOENCODING: 'latin-1' };
    const { code, stdout } = await imports.run(['import', 'shared', '--to', 'shared-model'], { more });
    expect([code, stdout]).toEqual([0, expect.stringContaining('Left out:\n  the link lost: it leads')]);
    expect(stdout).toContain('  the empty folder results: the program must make it\n');
    expect(imports.answers('shared-model', {})).toEqual([
      {
        Height: 2,
        Small: 1.234e-101,
        End: 5,
        Rate: 7,
        // 9007199254740995 as the nearest number of JavaScript; a sum of floats would be 9007199254740994
        Größe: 9007199254740996,
        'Of all': '{"a": true}',
      },
    ]);
  });

  test('fills in formats without a width, and reads XML in its own encoding', async () => {
    write('formats', {
      'deck.yaml': `name: Formats
command: [./run.sh]
inputs: [{ name: Scale, default: 2 }]
outputs:
  - { name: Filled, type: STRING, after: filled }
  - { name: Town, type: STRING, file: out.xml, xml: town/@name }
`,
      'throw.in.tpl': '',
      'run.sh.tpl': `#!/bin/sh
echo 'filled {{Scale:0.3f}}/{{Scale:.1e}}/{{Scale:05.1f}}'
printf '<?xml version="1.0" encoding="ISO-8859-1"?><a><town name="K\\366ln"/></a>' > out.xml
`,
    });
    chmodSync(join(folder, 'formats/run.sh.tpl'), 0o755);
    writeModel(await importModel(join(folder, 'formats'), folder), join(folder, 'formats-model'));
    expect(imports.answers('formats-model', {})).toEqual([{ Filled: '2.000/2.0e+00/002.0', Town: 'Köln' }]);
  });

  test('says why it finds nothing in a file', () => {
    const cases: [file: string, text: string, rule: object, reason: string][] = [
      ['out.json', '[1, 2', { json: '0' }, 'out.json is no JSON: '],
      ['twice.csv', 'v,v\n1,2\n', { csv: 'v' }, "twice.csv has 2 columns 'v'; choose one by its number"],
      [
        'huge.csv',
        'v\n1.7e308\n1.7e308',
        { csv: 'v', take: 'sum' },
        'the sum of the values in huge.csv is too large',
      ],
      [
        'latin1.txt',
        'name Gr\xf6\xdfe',
        { after: 'name', type: 'STRING' },
        "latin1.txt, line 1: 'Gr\\udcf6\\udcdfe' is not a text in UTF-8",
      ],
      ['long.csv', `v\n${'x'.repeat(200_000)}`, { csv: 'v' }, "long.csv, line 2: 'xxx"],
    ];
    const place = join(folder, 'found');
    mkdirSync(place);
    for (const [file, text] of cases) writeFileSync(join(place, file), text, 'latin1');
    const script = `import json, pathlib, sys
import foray_deck
for rule in json.loads(sys.argv[1]):
    try:
        foray_deck._named("Y", rule, pathlib.Path())
    except SystemExit as found:
        print(str(found)[:200])`;
    const rules = cases.map(([file, , rule]) => ({ file, ...rule }));
    const said = execFileSync(imports.python, ['-c', script, JSON.stringify(rules)], {
      cwd: place,
      env: { PYTHONPATH: join(ROOT, 'python') },
      encoding: 'utf8',
    });
    expect(said.trimEnd().split('\n')).toEqual(
      cases.map(([, , , reason]) => expect.stringContaining(`the output "Y" was not found: ${reason}`)),
    );
  });

  const mistakes: [what: string, files: Record<string, string>, place: string, message: string][] = [
    [
      'a token',
      { 'throw.in.tpl': `${TEMPLATE}\nx = {{Spede}}` },
      'throw.in.tpl:4:5',
      '"Spede" is not declared',
    ],
    [
      'the format of a file',
      {
        'deck.yaml': DECK.replace('inputs:', 'inputs:\n  - { name: Rain, type: INPUT_FILE, default: "" }'),
        'throw.in.tpl': `${TEMPLATE}\nx = {{Rain:10.2f}}`,
      },
      'throw.in.tpl:4:5',
      '{{Rain:10.2f}} does not fit the default of the input',
    ],
    [
      'a token without its end',
      { 'throw.in.tpl': `${TEMPLATE}\nx = {{Speed:6.2f` },
      'throw.in.tpl:4:5',
      '"{{Speed" has no end',
    ],
    [
      'the script',
      { 'deck.yaml': DECK.replace('throw.py', 'nope.py') },
      'deck.yaml:3:1',
      'The folder has no file nope.py',
    ],
    [
      'a word for "take"',
      { 'deck.yaml': DECK.replace('take: sum', 'take: median') },
      'deck.yaml:19:60',
      'take',
    ],
    ['the seed', { 'throw.in.tpl': `{{seed}} ${TEMPLATE}` }, 'throw.in.tpl:1:1', '"seed" is not declared'],
    [
      'a format',
      { 'throw.in.tpl': 'speed = {{Speed:3d}} {{Angle}}' },
      'throw.in.tpl:1:9',
      'does not fit the default',
    ],
    [
      'a narrow format',
      { 'throw.in.tpl': 'speed = {{Speed:2.2f}} {{Angle}}' },
      'throw.in.tpl:1:9',
      'takes 5 columns',
    ],
    [
      'an unused input',
      { 'throw.in.tpl': 'speed = {{Speed}}' },
      'deck.yaml:7:5',
      '"Angle" is in no template',
    ],
    [
      'the command',
      { 'deck.yaml': DECK.replace('{{Label}}', '{{Lable}}') },
      'deck.yaml:3:49',
      '"Lable" is not declared',
    ],
    [
      'an expression',
      { 'deck.yaml': DECK.replace('^seed (', '^seed ((') },
      'deck.yaml:13:38',
      'missing ), unterminated',
    ],
    [
      'two groups',
      { 'deck.yaml': DECK.replace('^seed (', '^(seed) (') },
      'deck.yaml:13:38',
      'more than one group',
    ],
    [
      'two ways',
      { 'deck.yaml': DECK.replace("after: 'range:' ", 'after: x, json: y ') },
      'deck.yaml:11:46',
      'both after and json',
    ],
    [
      'no way',
      { 'deck.yaml': DECK.replace(", after: 'range:' ", '') },
      'deck.yaml:11:13',
      'needs a file, or one of regex',
    ],
    [
      'a curve',
      { 'deck.yaml': DECK.replace('x: t', 'x: t, take: max') },
      'deck.yaml:17:60',
      'is a curve, so it has no take',
    ],
    ['a setting', { 'deck.yaml': DECK.replace('take: sum', 'taek: sum') }, 'deck.yaml:19:54', 'taek'],
    [
      'a default',
      { 'deck.yaml': DECK.replace('default: 20, min: 0', 'default: -1, min: 0') },
      'deck.yaml:6:41',
      'default of "Speed"',
    ],
    [
      'a repeated name',
      { 'deck.yaml': DECK.replace('name: Time', 'name: Path') },
      'deck.yaml:18:13',
      'outputs has "Path" twice',
    ],
    [
      'a path',
      { 'deck.yaml': DECK.replace('xml: name', "xml: 'name['") },
      'deck.yaml:23:54',
      'no path of XML',
    ],
    ['a template', { 'throw.in': 'speed = 1' }, 'throw.in.tpl:1:1', 'both throw.in.tpl and throw.in,'],
    ['YAML', { 'deck.yaml': `${DECK}  - [` }, 'deck.yaml:25', 'neither YAML nor JSON'],
  ];
  test.each(mistakes)(
    'with a mistake in %s is refused with its place',
    async (what, files, place, message) => {
      const deck = write(`wrong ${what}`, files);
      const error = await importModel(deck, folder).then(
        () => undefined,
        (thrown: unknown) => thrown as ForayError,
      );
      const at = error?.place as { file: string; line: number; column: number } | undefined;
      const said = at && `${at.file.slice(deck.length + 1)}:${at.line}:${at.column}`;
      expect([error?.code, said, error?.message]).toEqual([
        'IMPORT_FAILED',
        expect.stringMatching(new RegExp(`^${place}`)),
        expect.stringContaining(message),
      ]);
    },
  );
});
