import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { textOf } from '../../src/service/executors/encoding.ts';
import { readLine, readLoopLine } from '../../src/service/executors/lines.ts';
import { LineSplitter } from '../../src/system/line-splitter.ts';
import { causeOf } from '../../src/campaign/failures.ts';
import fc from '../support/fast-check.ts';
import { messageIn, reach, requestRun, startTestService, temporaryFolder } from './support.ts';

/** A text in UTF-16 or UTF-32. */
function encoded(text: string, encoding: string): Buffer {
  const little = Buffer.from(text, 'utf16le');
  if (encoding === 'utf-16le') return little;
  if (encoding === 'utf-16be') return little.swap16();
  return Buffer.concat(
    [...text].map((letter) => Buffer.from([letter.codePointAt(0)! & 255, letter.codePointAt(0)! >> 8, 0, 0])),
  );
}

const read = (text: string) => readLine(text, () => false);

describe('a line of a program', () => {
  test.each([
    ['{"outputs": {"a": 1}}', ''],
    ['Simulator 3.1 {"outputs": {"a": 1}}', 'Simulator 3.1 '],
    ['100%|####| 5/5 [00:01<00:00] { "outputs" : {"a": 1}}  ', '100%|####| 5/5 [00:01<00:00] '],
    ['{info} {"outputs": {"a": 1}}', '{info} '],
    ['{"progress": 0.5}{"outputs": {"a": 1}}', '{"progress": 0.5}'],
    ['{"progress": 0.5}{"progress": 1} {"outputs": {"a": 1}}', '{"progress": 0.5}{"progress": 1} '],
  ])('has its outputs at its end: %s', (text, before) => {
    expect(read(text)).toEqual({ kind: 'outputs', outputs: { a: 1 }, before });
  });

  test('that looks like outputs and is none shows what is wrong', () => {
    expect(read('done {"outputs": {"a": 1}')).toMatchObject({
      kind: 'print',
      problem: expect.stringContaining('done {\\"outputs\\"'),
    });
    expect(read('a {brace}')).toEqual({ kind: 'print' });
    expect(read('{"outputs": {"a": 1}} done')).toMatchObject({
      problem: expect.stringContaining('another text follows the message on its line'),
    });
    expect(read('{"outputs": {"a": 1}}{"outputs": {"a": 2}}')).toMatchObject({ kind: 'print' });
    expect(read('{"Outputs": {"a": 1}}')).toMatchObject({
      kind: 'print',
      problem: expect.stringContaining('has "Outputs" in place of "outputs"'),
    });
    expect(read('{"output": 3}')).toEqual({ kind: 'print' });
  });

  test('of a program that stays loaded may follow a message without a line break', () => {
    expect(
      readLoopLine('{"run": 1, "progress": 0.5}{"run": 1, "outputs": {"a": 1}}', () => false),
    ).toMatchObject({ kind: 'answer', run: 1, answer: { outputs: { a: 1 } } });
    expect(() =>
      readLoopLine('{"run": 1, "outputs": {}}{"run": 2, "outputs": {"a": 1}}', () => false),
    ).toThrow('another text follows the message on its line');
  });

  test.each(['NaN', 'null', '10', '-1', '"half"', '[]', 'Infinity'])(
    'with progress %s is ignored',
    (value) => {
      expect(read(`{"progress": ${value}}`)).toMatchObject({ kind: 'print', ignored: expect.any(String) });
    },
  );

  test.each([
    ['0.25', 0.25],
    ['1.0000000002', 1],
    ['-0.0000001', 0],
  ])('with progress %s has the share %s', (value, fraction) => {
    expect(read(`{"progress": ${value}}`)).toEqual({ kind: 'progress', fraction });
  });

  test.each(['utf-16le', 'utf-16be', 'utf-32'])('in %s is named as the reason', (encoding) => {
    for (const text of ['{"outputs": {"a": 1}}', 'Größe {"outputs": {"a": 1}}', '{"run": 1, "outputs": {}}'])
      for (const bytes of [
        encoded(text, encoding),
        Buffer.concat([encoded('\ufeff', encoding), encoded(text, encoding)]),
      ])
        expect(() => textOf(bytes)).toThrow(/UTF-16 or UTF-32 and not UTF-8/);
    // a line for readers may have any encoding
    expect(textOf(encoded('a {brace}', encoding))).toContain('\0');
  });

  test('with a zero byte in its outputs says so', () => {
    expect(read('{"outputs": {"a": 1}}\0')).toMatchObject({ problem: expect.stringContaining('zero bytes') });
  });

  test('with an error has no outputs, but an empty error is none', () => {
    const answerOf = (line: string) => readLoopLine(line, () => false);
    expect(answerOf('{"run": 1, "outputs": {"a": 1}, "error": "no solution"}')).toMatchObject({
      answer: { error: 'no solution' },
    });
    for (const none of ['null', '""'])
      expect(answerOf(`{"run": 1, "outputs": {"a": 1}, "error": ${none}}`)).toMatchObject({
        answer: { outputs: { a: 1 } },
      });
    expect(answerOf('{"run": 1, "error": ""}')).toMatchObject({ answer: { error: '' } });
  });

  test('may begin with a byte order mark of UTF-8', () => {
    expect(read('\ufeff{"outputs": {"a": 1}}')).toMatchObject({ kind: 'outputs' });
    expect(readLoopLine('\ufeff{"ready": {}}', () => false)).toEqual({ kind: 'ready', python: undefined });
  });

  test('is the same in whatever parts its bytes arrive', () => {
    const text = fc
      .array(fc.constantFrom('a', 'ä', '\n', '\r', '{', ' '), { maxLength: 60 })
      .map((all) => all.join(''));
    fc.assert(
      fc.property(text, fc.array(fc.nat(200), { maxLength: 5 }), (whole, cuts) => {
        const bytes = Buffer.from(whole);
        const lines: string[] = [];
        const splitter = new LineSplitter((line) => lines.push(line.bytes.toString() + line.end));
        const at = [
          0,
          ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b),
          bytes.length,
        ];
        for (const [index, start] of at.slice(0, -1).entries())
          splitter.add(bytes.subarray(start, at[index + 1]));
        splitter.close();
        expect(lines.join('')).toBe(whole);
        expect(lines).toEqual(whole.match(/[^\n\r]*[\n\r]|[^\n\r]+$/g) ?? []);
      }),
    );
  });
});

test('failures with different exit codes have different causes', () => {
  const causes = [1, 2, 137].map((code) =>
    causeOf(`the command ended with exit code ${code}: line 17 failed`),
  );
  expect(causes[0]).toBe('the command ended with exit code 1: line … failed');
  expect(new Set(causes).size).toBe(3);
  const of = (status: number): string => causeOf(`Command 'x' returned non-zero exit status ${status}.`);
  expect(of(2)).not.toBe(of(9));
  expect(causeOf('killed by signal 9')).not.toBe(causeOf('killed by signal 11'));
  expect(causeOf('it is UTF-16 and not utf-8 or utf8, at -8 of run-17')).toBe(
    'it is UTF-16 and not utf-8 or utf8, at … of run…',
  );
});

test('a failure names its true cause', async () => {
  const folder = temporaryFolder();
  const write = (name: string, script: string): void => {
    mkdirSync(path.join(folder, name));
    const command = name === 'Shell' ? 'sh sim' : './sim';
    const declared = `name: ${name}\ndescription: ''\ncommand: ${command}\ninputs: []\noutputs: [{name: Out, type: STRING}]\n`;
    writeFileSync(path.join(folder, name, 'model.yaml'), declared);
    writeFileSync(path.join(folder, name, 'sim'), Buffer.from(script, 'latin1'));
    chmodSync(path.join(folder, name, 'sim'), 0o755);
  };
  const cases: [name: string, script: string, says: RegExp][] = [
    [
      'Return',
      '#!/bin/sh\r\necho\r\n',
      /"sim" cannot be started: its first line ends with a carriage return/,
    ],
    [
      'Env',
      '#!/usr/bin/env sh\r\necho\r\n',
      /exit code 127: the first line of sim ends with a carriage return/,
    ],
    [
      'Shell',
      'echo hello\r\nif true; then\r\n  echo\r\nfi\r\n',
      /exit code (?:2|127): the first line of sim ends with a carriage return/,
    ],
    ['Interpreter', '#!/usr/bin/nolang -x\n', /names the program \/usr\/bin\/nolang, which does not exist/],
    [
      'Latin',
      '#!/bin/sh\necho \'{"outputs": {"Out": "Gr\xf6\xdfe"}}\'\n',
      /its outputs are not UTF-8, as in ".*Gr/,
    ],
    [
      'Killed',
      "#!/bin/sh\nsh -c 'kill -9 $$'\nexit $?\n",
      /exit code 137 \(the signal SIGKILL, perhaps .* memory/,
    ],
    ['Signal', '#!/bin/sh\nkill -9 $$\n', /ended by the signal SIGKILL, perhaps .* memory/],
  ];
  for (const [name, script] of cases) write(name, script);
  const service = await startTestService({ modelDirs: [folder], executors: 1 });
  for (const [name, , says] of cases) {
    const { body: run } = await requestRun(service, await service.latest(name));
    const { title } = messageIn(await reach(service, run, 'FAILED'));
    expect([name, title]).toEqual([name, expect.stringMatching(says)]);
  }
});
