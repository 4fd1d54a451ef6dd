import { execFileSync } from 'node:child_process';
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fillDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';
import { descriptorsOf, familyOf } from './processes.ts';
import type { Fault } from './schedule.ts';
import type { World } from './world.ts';

/** Counts faults by kind and target. */
export class Tally {
  readonly #counts = new Map<string, number>();

  add(what: string): void {
    this.#counts.set(what, this.of(what) + 1);
  }

  of(what: string): number {
    return this.#counts.get(what) ?? 0;
  }
}

/** The content of a file. The soak requests the address of the file before a fault moves the clock. */
const PROBE = 'soak';
/** The time after which a process sees a new time, ms. libfaketime reads its file once a second. */
const CLOCK_IS_SEEN_MS = 1_500;

/** Causes faults in a world. */
export class Faults {
  readonly tally = new Tally();
  /** Errors that a fault itself has revealed. */
  readonly broken: string[] = [];
  readonly #world: World;
  #probe: string | undefined;

  constructor(world: World) {
    this.#world = world;
  }

  async prepare(): Promise<void> {
    this.#probe = await this.#world.service.uploadFile(Buffer.from(PROBE));
  }

  async inflict(fault: Fault): Promise<void> {
    const { tally } = this;
    const world = this.#world;
    switch (fault.kind) {
      case 'kill':
        if (fault.target === 'postgres') return this.#killPostgres(fault.seconds);
        if (world.processes.get(fault.target)!.kill(fault.seconds)) tally.add(`kill ${fault.target}`);
        return;
      case 'freeze':
        if (await world.processes.get(fault.target)!.freeze(fault.seconds)) tally.add('freeze');
        return;
      case 'disk':
        tally.add('disk');
        return this.#fillDisk(world.disks[fault.target], fault.seconds);
      case 'models':
        tally.add('models');
        renameSync(world.models.here, world.models.away);
        await delay(1_000 * fault.seconds);
        return renameSync(world.models.away, world.models.here);
      case 'store':
        tally.add('store');
        return this.#takeStore(fault.seconds);
      case 'descriptors':
        return this.#lowerDescriptors(fault);
      case 'clock':
        tally.add('clock');
        return this.#setClock(fault.offset);
      case 'network':
        tally.add('network');
        await world.proxy.spoil(fault.toxic, fault.share);
        await delay(1_000 * fault.seconds);
        return world.proxy.heal();
    }
  }

  /** Waits until all processes are ready after the last fault. */
  async heal(): Promise<void> {
    for (const each of this.#world.processes.values()) await each.ready();
  }

  async #killPostgres(seconds: number): Promise<void> {
    const { postgres } = this.#world;
    if (!postgres) return;
    this.tally.add('kill postgres');
    await postgres.kill();
    await delay(1_000 * seconds);
    // PostgreSQL does not start while a process of its old connections exists
    await until('PostgreSQL runs again', () =>
      postgres.start().then(
        () => true,
        () => false,
      ),
    );
  }

  async #fillDisk(folder: string, seconds: number): Promise<void> {
    const filler = join(folder, 'filler');
    fillDisk(filler);
    await delay(1_000 * seconds);
    rmSync(filler, { force: true });
  }

  /** Takes the file of the store away and puts it back. Nobody may make another one meanwhile. */
  async #takeStore(seconds: number): Promise<void> {
    const file = join(this.#world.disks.store, 'store.db');
    renameSync(file, `${file}-away`);
    await delay(1_000 * seconds);
    if (existsSync(file)) this.broken.push('a new store was made while the file of the store was away');
    renameSync(`${file}-away`, file);
  }

  /** Lets a process open only a few more descriptors for a while. Its new child processes inherit the limit. */
  async #lowerDescriptors({
    target,
    spare,
    seconds,
  }: Extract<Fault, { kind: 'descriptors' }>): Promise<void> {
    const kept = this.#world.processes.get(target)!;
    const { pid } = kept;
    if (pid === undefined) return;
    this.tally.add('descriptors');
    // a worker may end without descriptors, but the service must not
    kept.mayEnd = target !== 'service';
    const before = limitOf(pid);
    limit(pid, `${descriptorsOf(pid) + spare}:${before.hard}`);
    await delay(1_000 * seconds);
    if (kept.pid === pid) for (const member of familyOf(pid)) limit(member, `${before.soft}:${before.hard}`);
    kept.mayEnd = false;
  }

  /** Moves the clock of the service. A pre-signed address from before the move must stay valid. */
  async #setClock(seconds: number): Promise<void> {
    const { service, clockFile } = this.#world;
    const address = await service.getOutputFileUrl(this.#probe!, 'probe.txt').catch(() => undefined);
    writeFileSync(clockFile, `${seconds < 0 ? '' : '+'}${seconds}s`);
    await delay(CLOCK_IS_SEEN_MS);
    const answer = address && (await fetch(address).catch(() => undefined));
    if (!answer || answer.status >= 500) return;
    this.tally.add('address');
    // an answer that breaks off says nothing about the address
    const text = await answer.text().catch(() => PROBE);
    if (answer.status !== 200 || text !== PROBE)
      this.broken.push(
        `an address is not valid after a fault has set the clock to ${seconds} s from the true time: ${answer.status}`,
      );
  }
}

function limitOf(pid: number): { soft: string; hard: string } {
  const text = execFileSync('prlimit', [
    ...['--pid', String(pid), '--nofile', '--noheadings', '--raw', '--output', 'SOFT,HARD'],
  ]);
  const [soft = '', hard = ''] = text.toString().trim().split(/\s+/);
  return { soft, hard };
}

function limit(pid: number, to: string): void {
  try {
    execFileSync('prlimit', ['--pid', String(pid), `--nofile=${to}`], { stdio: 'ignore' });
  } catch {
    // the process has ended
  }
}
