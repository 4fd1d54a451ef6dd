import { once } from 'node:events';
import { messageOf } from '../../errors.ts';
import { makeContext } from '../executors/context.ts';
import { Deferred } from '../executors/deferred.ts';
import { guardProcess } from '../executors/guard.ts';
import { ContentFiles } from '../files/content.ts';
import { loadUnchanged } from '../models/load.ts';
import type { Scene } from '../models/model.ts';
import { outputTexts } from '../models/values.ts';
import type { AnimationData, AnimationReport, Command, Frame } from './protocol.ts';

/** The process of one animated run: paces it by the clock, draws it when it is asked to, and ends with it. */

/** Time between two steps of the run, in milliseconds. */
const STEP = 20;
/** Longest time that one step makes up for, in milliseconds: a model that computes slowly is drawn slowly. */
const LONGEST_STEP = 250;
/** Least number of steps of a run, however fast it is to go: something is to be seen of it. */
const LEAST_STEPS = 100;
/** Time between two reports of progress, in milliseconds. */
const PROGRESS_INTERVAL = 250;

/** Greatest picture, in characters: each goes through the memory of the service, many a second. */
const LARGEST_PICTURE = 4_000_000;

const { filesDir, guarded: ready } = guardProcess();
const files = new ContentFiles(filesDir);
process.on('uncaughtException', (error) => fail(new Error(`the model crashed: ${messageOf(error)}`)));

await ready;
const [{ job, animation }] = (await once(process, 'message')) as [AnimationData];
let scene: Scene;
let time = 0;
let speed = animation.speed;
let paused = false;
let steppedAt = performance.now();
let reportedAt = steppedAt;

try {
  const model = await loadUnchanged(job.code);
  // a scene tells how far it is by its time
  const context = makeContext(job, files, () => {});
  scene = await model.animation!.start(context);
  if (!Number.isFinite(scene.end)) throw new Error('the model gave its animation no end');
  report({ kind: 'frame', frame: draw() });
  process.on('message', (command: Command) => guarded(() => heed(command)));
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

function heed(command: Command): void {
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
  }
}

function draw(): Frame {
  const { width, height } = animation;
  const drawn: unknown = scene.draw();
  if (typeof drawn !== 'string') throw new Error(`the model drew ${typeof drawn}, which is not SVG text`);
  if (drawn.length > LARGEST_PICTURE) {
    throw new Error(`the model drew ${drawn.length} characters, more than ${LARGEST_PICTURE}`);
  }
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">` +
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
  report({ kind: error instanceof Deferred ? 'deferred' : 'failed', reason: messageOf(error) });
}

function report(report: AnimationReport): void {
  // what cannot be sent has nobody left who would want it
  process.send!(report, () => {});
}
