import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@jest/globals';
import { placeOf } from '../../src/service/models/folder.ts';
import { namedOutside } from '../../src/service/trials/named-outside.ts';
import { writeCommandModel } from './command-model.ts';
import { temporaryFolder } from './support.ts';

/** What a model with this text beside it names outside its folder. */
function namedIn(text: string) {
  const models = temporaryFolder();
  writeCommandModel(models, 'Named', '');
  const folder = path.join(models, 'Named');
  writeFileSync(path.join(folder, 'text'), text);
  return namedOutside(placeOf(path.join(folder, 'model.yaml'), []));
}

test('a file that a model would read as soon as it is there counts, if its folder is there', () => {
  const folder = path.join(temporaryFolder(), 'data');
  mkdirSync(folder);
  const text = `'${folder}/later.csv' '${folder}/none/later.csv' '/tmp/later.csv' '../later.csv'`;
  expect(namedIn(text).files).toEqual([`${folder}/later.csv`]);
});

test.each([
  `os.environ["RATE"]`,
  `os.environ.get('RATE', 1)`,
  `os.environ.pop('RATE')`,
  `getenv("RATE")`,
  `Sys.getenv("RATE")`,
  `os.Getenv("RATE")`,
  `Environment.GetEnvironmentVariable("RATE")`,
  `std::env::var("RATE")`,
  `ENV["RATE"]`,
  `ENV.fetch("RATE")`,
  `$ENV{RATE}`,
  `$ENV{'RATE'}`,
  `process.env.RATE`,
])('%s is a variable of the environment', (text) => {
  expect(namedIn(text).variables).toEqual(['RATE']);
});
