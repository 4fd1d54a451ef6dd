import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Writes a command model that runs `program` in Node. The program can use `text` (its standard input), `inputs` (the
 * same as an object) and `say` (a function that prints a value as a line of JSON).
 */
export function writeCommandModel(
  folder: string,
  name: string,
  program: string,
  outputs = ['Out: DOUBLE'],
): void {
  mkdirSync(path.join(folder, name), { recursive: true });
  const declared = outputs.map((output) => output.split(': '));
  writeFileSync(
    path.join(folder, name, 'model.yaml'),
    `
name: ${name}
description: A test
command: node sim.mjs
inputs:
  - {name: N, type: DOUBLE, default: 0}
  - {name: Large, type: LONG, default: '9007199254740993'}
  - {name: File, type: INPUT_FILE, default: ''}
outputs: ${JSON.stringify(declared.map(([name, type]) => ({ name, type })))}
`,
  );
  writeFileSync(
    path.join(folder, name, 'sim.mjs'),
    `import { readFileSync, writeFileSync } from 'node:fs';
     const text = readFileSync(0, 'utf8');
     const inputs = JSON.parse(text);
     const say = (value) => console.log(JSON.stringify(value));
     ${program}`,
  );
}

/**
 * Writes a model whose program stays loaded. `body` runs for each run. It can use `run` (its number), `inputs`, `say` (a
 * function that prints a value as a line of JSON) and `answer` (a function that prints the outputs).
 */
export function writeLoopModel(
  folder: string,
  name: string,
  { before = '', body, type = 'DOUBLE' }: { before?: string; body: string; type?: string },
): void {
  writeCommandModel(folder, name, '', [`Out: ${type}`]);
  const declaration = path.join(folder, name, 'model.yaml');
  writeFileSync(declaration, readFileSync(declaration, 'utf8').replace('inputs:\n', 'loop: true\ninputs:\n'));
  writeFileSync(
    path.join(folder, name, 'sim.mjs'),
    `import { spawn } from 'node:child_process';
     import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
     import { createInterface } from 'node:readline';
     const say = (value) => console.log(JSON.stringify(value));
     let runs = 0;
     ${before}
     say({ ready: {} });
     for await (const line of createInterface({ input: process.stdin })) {
       const { run, inputs } = JSON.parse(line);
       const answer = (Out, more) => say({ run, outputs: { Out }, ...more });
       runs += 1;
       ${body}
     }`,
  );
}
