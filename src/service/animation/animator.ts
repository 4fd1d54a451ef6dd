import { once } from 'node:events';
import { inspect } from 'node:util';
import { messageOf } from '../../errors.ts';
import { Deferred } from '../deferred.ts';
import { makeContext } from '../executors/context.ts';
import { guardProcess } from '../executors/guard.ts';
import { ContentFiles } from '../files/content.ts';
import { loadUnchanged } from '../models/load.ts';
import type { Scene, ViewArea } from '../models/model.ts';
import { outputText, outputTexts } from '../models/typed-values.ts';
import type { AnimationData, AnimationReport, Command, Frame, Question } from './protocol.ts';

/** The process of one animated run. It advances the run with the clock, draws on request, and ends with the run. */

/** Time between two steps of the run, in milliseconds. */
const STEP = 20;
/** The most real time that counts for one step, in milliseconds. A model with longer steps is animated more slowly. */
const LONGEST_STEP = 250;
/** The least number of steps of a run at any speed, so that a viewer sees something. */
const LEAST_STEPS = 100;
/** Time between two reports of progress, in milliseconds. */
const PROGRESS_INTERVAL = 250;

/** The largest picture or answer, in characters. The service may hold many of them in memory. */
const LARGEST = 4_000_000;

const { filesDir, unfinishedDir, guarded: ready } = guardProcess();
const files = new ContentFiles(filesDir, unfinishedDir);
process.on('uncaughtException', (error) => {
  printStack(error);
  report({ kind: 'failed', reason: `the model crashed: ${messageOf(error)}` });
});

await ready;
const [{ job, animation }] = (await once(process, 'message')) as [AnimationData];
let scene: Scene;
let time = 0;
let speed = animation.speed;
let paused = false;
let view: ViewArea | null = null;
let steppedAt = performance.now();
let reportedAt = steppedAt;

try {
  const { model } = await loadUnchanged(job.code);
  // the progress of an animated run comes from the time of its scene
  const context = makeContext(job, files, () => {});
  scene = await model.animation!.start(context);
  if (!Number.isFinite(scene.end)) throw new Error('the model gave its animation no end');
  checkParts(scene);
  report({ kind: 'frame', frame: draw() });
  process.on('message', (command: Command) => guarded(() => handleCommand(command)));
  steppedAt = performance.now();
  setTimeout(step, STEP);
} catch (error) {
  fail(error);
}

function step(): void {
  const now = performance.now();
  const elapsed = Math.min(now - steppedAt, LONGEST_STEP) / 1000;
  steppedAt = now;
  guarded(() => {
    if (!paused && time < scene.end) {
      time = Math.min(time + Math.min(speed * elapsed, scene.end / LEAST_STEPS), scene.end);
      scene.advance(time);
    }
    if (time >= scene.end) return void complete().catch(fail);
    if (now - reportedAt >= PROGRESS_INTERVAL) {
      reportedAt = now;
      report({ kind: 'progress', fraction: time / scene.end });
    }
    setTimeout(step, STEP);
  });
}

async function complete(): Promise<void> {
  const outputs = outputTexts(job.template.outputs, await scene.outputs(), files);
  report({ kind: 'completed', outputs, frame: draw() });
}

function handleCommand(command: Command): void {
  switch (command.kind) {
    case 'draw':
      return report({ kind: 'frame', frame: draw() });
    case 'pause':
      paused = true;
      return;
    case 'run':
      paused = false;
      return;
    case 'speed':
      speed = command.speed;
      return;
    case 'view':
      view = command.area;
      return;
    case 'get':
    case 'set':
    case 'call':
      void answer(command);
  }
}

/** Checks that the scene has all values, setters and functions that the animation declares. */
function checkParts({ values = {}, functions = {} }: Scene): void {
  for (const { name, settable } of animation.values ?? []) {
    if (!values[name]) throw new Error(`the scene has no value "${name}", which the animation declares`);
    if (settable && !values[name].set)
      throw new Error(`the value "${name}" of the scene is declared as settable, but has no function "set"`);
  }
  for (const { name } of animation.functions ?? []) {
    if (!functions[name])
      throw new Error(`the scene has no function "${name}", which the animation declares`);
  }
}

/** Answers a question. If the model throws an error, the question is refused and the run goes on. */
async function answer({ id, ...question }: Question & { id: number }): Promise<void> {
  try {
    const text = await answerText(question);
    if (text.length > LARGEST) throw new Error(`it has ${text.length} characters, more than ${LARGEST}`);
    report({ kind: 'answer', id, text });
  } catch (error) {
    report({ kind: 'refused', id, reason: messageOf(error) });
  }
}

async function answerText(question: Question): Promise<string> {
  const { name } = question;
  switch (question.kind) {
    case 'get':
      return outputText(question.type, scene.values![name]!.get());
    case 'set':
      scene.values![name]!.set!(question.value as never);
      return 'null';
    case 'call': {
      const result: unknown = await scene.functions![name]!(...(question.args as never[]));
      return JSON.stringify(result) ?? 'null';
    }
  }
}

function draw(): Frame {
  const { width, height } = animation;
  const shown = view ?? { x: 0, y: 0, width, height };
  const drawn: unknown = scene.draw();
  if (typeof drawn !== 'string') throw new Error(`the model drew ${typeof drawn}, which is not SVG text`);
  if (drawn.length > LARGEST) {
    throw new Error(`the model drew ${drawn.length} characters, more than ${LARGEST}`);
  }
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${shown.x} ${shown.y} ${shown.width} ${shown.height}" width="${width}" height="${height}">` +
    `${drawn}</svg>`;
  return { time, end: scene.end, svg };
}

function guarded(act: () => void): void {
  try {
    act();
  } catch (error) {
    fail(error);
  }
}

function fail(error: unknown): void {
  if (error instanceof Deferred) return report({ kind: 'deferred', reason: messageOf(error) });
  printStack(error);
  report({ kind: 'failed', reason: messageOf(error) });
}

function printStack(error: unknown): void {
  process.stderr.write(`${inspect(error)}\n`);
}

function report(message: AnimationReport): void {
  // if a message cannot be sent, its receiver is gone
  process.send!(message, () => {});
}
