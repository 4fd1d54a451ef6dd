import { setTimeout as pause } from 'node:timers/promises';
import { messageOf } from '../../errors.ts';
import { Deferred } from '../deferred.ts';
import { ServiceError } from '../errors.ts';
import { buildDifference } from '../models/python-build.ts';
import { outputTexts } from '../models/typed-values.ts';
import type { KeptFolder } from './kept.ts';
import { Loaded, ProgramLost } from './loaded.ts';
import type { OwnCopy } from '../models/own-copy.ts';
import type { CompletedRun, Job, Left } from './protocol.ts';
import { deferredIfFull } from './working-folder.ts';
import type { LoadedProgram, Workplace } from './workplace.ts';

/** Limits of one process of a program that stays loaded. */
export interface LoopLimits {
  /** The most runs of a process. */
  runs: number;
  /** The age at which a process executes no further run, in milliseconds. */
  age: number;
  /** The fewest runs before the age of a process ends it. So the audit of each process costs little. */
  agedRuns: number;
  /** The time without a run after which a process ends, in milliseconds. */
  idle: number;
}

const LIMITS: LoopLimits = { runs: 10_000, age: 10 * 60_000, agedRuns: 20, idle: 60_000 };
/** How long a program that could not be loaded is at least not started again, in milliseconds. */
const PAUSE = 5_000;
/** How often a run begins at most, if a kill from outside ends its process each time. */
const MOST_KILLS = 3;
/** The longest time for an audit, in milliseconds, added to ten times the time that the run has taken before. */
const AUDIT_TIME = 10_000;

/** A run that a process has executed, to compare with the same run in the next process. */
interface PastRun {
  job: Job;
  texts: Record<string, string>;
  ms: number;
}

/**
 * The program of a model with `loop: true` (docs/guides/models.md, A program that stays loaded). A process of it
 * executes one run after the other. A run that fails in a process with earlier runs is executed again in a new process,
 * because the earlier runs may be the reason. When a process has executed many runs, a new process first repeats the
 * last run of the old one (the audit). If the outputs differ, outputs depend on earlier runs, and each further run gets
 * a process of its own.
 */
export class Loop implements LoadedProgram {
  readonly #command: readonly string[];
  readonly #copy: OwnCopy;
  readonly #workplace: Workplace;
  readonly #limits: LoopLimits;
  #loaded: Loaded | undefined;
  /** The last run of the process. */
  #last: PastRun | undefined;
  /** The run with which the next process begins. */
  #audit: PastRun | undefined;
  #isLeaky = false;
  /** Whether the program has been loaded at least once. */
  #hasLoaded = false;
  /** Why the program could not be loaded, until this time. */
  #broken: { reason: string; until: number } | undefined;
  #idle: NodeJS.Timeout | undefined;
  #ending: Promise<void> | undefined;

  constructor(command: readonly string[], copy: OwnCopy, workplace: Workplace, limits = LIMITS) {
    this.#command = command;
    this.#copy = copy;
    this.#workplace = workplace;
    this.#limits = limits;
  }

  /** The processes that belong to the loaded program. */
  get processes(): ReadonlySet<number> | undefined {
    return this.#loaded?.processes;
  }

  /** @throws Deferred, or Error with the reason why the run fails, as `runCommand` does */
  async run(
    job: Job,
    onProgress: (fraction: number) => void,
    kept: KeptFolder | undefined,
  ): Promise<CompletedRun> {
    clearTimeout(this.#idle);
    await this.#workplace.use(this);
    try {
      let again: string | undefined;
      for (let kills = 0; ;) {
        const isUsed = this.#loaded !== undefined && this.#loaded.runs > 0;
        try {
          const { outputs, left } = await this.#runOnce(job, onProgress, kept);
          return { outputs, left: { ...left, ...(again !== undefined && { again }) } };
        } catch (error) {
          const isKilled = error instanceof ProgramLost && error.signal === 'SIGKILL';
          if (isKilled) kills += 1;
          // the service ends programs by SIGTERM
          const isEnded = error instanceof ProgramLost && error.signal === 'SIGTERM';
          const isFinal = error instanceof Deferred || isEnded || this.#workplace.isEnding;
          const mayBeInnocent = isUsed || (isKilled && kills < MOST_KILLS);
          if (isFinal || !mayBeInnocent) throw error;
          await this.end();
          again = messageOf(error);
          this.#workplace.say(
            `foray executes this run again in a new process, because the reason may not be the run itself: ${again}`,
          );
        }
      }
    } finally {
      this.#idle = setTimeout(() => void this.#recycle(), this.#limits.idle).unref();
    }
  }

  /** Ends the process. Its last run is repeated only after many runs, so that models take turns at little cost. */
  async giveWay(): Promise<void> {
    if (this.#loaded && this.#loaded.runs >= this.#limits.agedRuns) await this.#recycle();
    else await this.end(true);
  }

  /** Ends the process, if there is one. @param isGentle - whether it may end by itself first */
  async end(isGentle = false): Promise<void> {
    const loaded = this.#loaded;
    this.#loaded = undefined;
    if (loaded) this.#ending = loaded.end(isGentle);
    await this.#ending;
  }

  async #runOnce(
    job: Job,
    onProgress: (fraction: number) => void,
    kept: KeptFolder | undefined,
  ): Promise<CompletedRun> {
    const { files } = this.#workplace;
    const loaded = await this.#processFor(job);
    const left: Left = { files: [], processes: [] };
    const start = performance.now();
    try {
      const outputs = await loaded.run(job, onProgress, kept);
      const texts = outputTexts(job.template.outputs, outputs, files);
      this.#copy.checkLinked();
      this.#last = { job, texts, ms: performance.now() - start };
      if (loaded.opened) left.opened = loaded.opened;
      if (loaded.whyLast !== undefined) left.last = loaded.whyLast;
      return { outputs: texts, left };
    } catch (error) {
      throw await deferredIfFull(error, loaded.folder, () => loaded.clearWork());
    } finally {
      if (kept) await loaded.moveWork(files.workPath(job.runId));
      else loaded.clearWork();
      left.files.push(...this.#copy.restore());
      if (loaded.isBroken) await this.end();
      else if (job.isAlone || this.#isLeaky) await this.end(true);
      else if (loaded.whyLast !== undefined || !this.#copy.isWhole || this.#isOld(loaded))
        await this.#recycle();
    }
  }

  #isOld(loaded: Loaded): boolean {
    const { runs, age, agedRuns } = this.#limits;
    const isAged = loaded.runs >= agedRuns && performance.now() - loaded.since > age;
    return loaded.runs >= runs || isAged || loaded.hasGrown();
  }

  /** Ends the process. The next process repeats its last run, unless this was its only run. */
  async #recycle(): Promise<void> {
    if (this.#loaded && this.#loaded.runs > 1) this.#audit = this.#last;
    await this.end(true);
  }

  /** Returns the process for the next run. Starts one if there is none that can be trusted. */
  async #processFor(job: Job): Promise<Loaded> {
    await this.#ending;
    // it may have ended, or have printed something, since its last run
    if (this.#loaded?.isBroken) await this.end();
    if (this.#loaded) return this.#loaded;
    if (this.#broken && performance.now() < this.#broken.until) throw unloadable(job, this.#broken.reason);
    this.#workplace.report({ kind: 'loading' });
    await this.#load(job);
    const audit = this.#audit;
    this.#audit = undefined;
    if (audit && !(await this.#agrees(audit, job))) {
      await this.end();
      await this.#load(job);
    }
    this.#workplace.report({ kind: 'loaded' });
    return this.#loaded!;
  }

  async #load(job: Job): Promise<void> {
    await this.#copy.prepare();
    const begun = performance.now();
    try {
      this.#loaded = await Loaded.start(this.#command, job, this.#copy.folder, this.#workplace);
      this.#broken = undefined;
      this.#hasLoaded = true;
      await this.#checkPackages(job);
    } catch (error) {
      if (error instanceof Deferred || error instanceof ProgramLost) throw error;
      const reason = messageOf(error);
      const now = performance.now();
      // a program that hangs must not take most of an executor's time; one that has loaded before may only be slow
      const rest = this.#hasLoaded ? PAUSE : Math.max(PAUSE, now - begun);
      this.#broken = { reason, until: now + rest };
      throw unloadable(job, reason);
    }
  }

  /** @throws Deferred if the program was loaded with other packages than those of its version */
  async #checkPackages({ code }: Job): Promise<void> {
    const { python } = this.#loaded!;
    const difference = python && code.python && buildDifference(code.python, python);
    if (difference === undefined) return;
    await this.end();
    throw new Deferred(`the packages differ from those of the version: ${difference}`);
  }

  /** Repeats a run of the process before. Returns whether the process can be used for further runs. */
  async #agrees({ job, texts, ms }: PastRun, { versionId }: Job): Promise<boolean> {
    const loaded = this.#loaded!;
    const limit = AUDIT_TIME + 10 * ms;
    const found = await Promise.race([this.#repeated(loaded, job), pause(limit, undefined, { ref: false })]);
    if (found === undefined || loaded.isBroken || loaded.whyLast !== undefined) return false;
    loaded.clearWork();
    const differing = job.template.outputs.find(({ name }) => found[name] !== texts[name]);
    if (!differing) return true;
    const { name } = differing;
    this.#isLeaky = true;
    this.#workplace.report({
      kind: 'leaky',
      versionId,
      difference: `"${name}" was ${texts[name]} after other runs of its process, and ${found[name]} in a new process`,
    });
    return false;
  }

  /** The outputs of a run in a new process; undefined if it could not be executed. */
  async #repeated(loaded: Loaded, job: Job): Promise<Record<string, string> | undefined> {
    const { files } = this.#workplace;
    try {
      const outputs = await loaded.run(job, () => {}, undefined);
      return outputTexts(job.template.outputs, outputs, files);
    } catch (error) {
      // an input file of the run may have left the cache
      const isOfMachine = error instanceof Deferred || error instanceof ServiceError;
      if (isOfMachine || error instanceof ProgramLost) return undefined;
      const said = `an error (${messageOf(error)})`;
      return Object.fromEntries(job.template.outputs.map(({ name }) => [name, said]));
    }
  }
}

/** The error of a run whose program cannot be loaded. Another machine may be able to load it. */
function unloadable({ isElsewhere }: Job, reason: string): Error {
  return isElsewhere ? new Deferred(reason, { isLasting: true }) : new Error(reason);
}
