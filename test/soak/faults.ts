import { execFileSync } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fillDisk } from '../support/small-disk.ts';
import { until } from '../support/until.ts';
import { descriptorsOf, familyOf } from './processes.ts';
import type { Fault } from './schedule.ts';
import type { World } from './world.ts';

/** How often each fault was met, by its kind and what it struck. */
export class Tally {
  private readonly counts = new Map<string, number>();

  add(what: string): void {
    this.counts.set(what, this.of(what) + 1);
  }

  of(what: string): number {
    return this.counts.get(what) ?? 0;
  }
}

/** The file whose address is asked for, before the clock is moved. */
const PROBE = 'soak';
/** libfaketime looks at its file once a second. */
const CLOCK_IS_SEEN_MS = 1_500;
/** A process that aborts writes its stack before it ends, and other processes take the cores meanwhile. */
const ABORT_IS_SEEN_MS = 5_000;

/** Carries out faults on a world, each until it is over. */
export class Faults {
  readonly tally = new Tally();
  /** What a fault itself showed to be wrong. */
  readonly broken: string[] = [];
  private readonly world: World;
  private probe: string | undefined;

  constructor(world: World) {
    this.world = world;
  }

  async prepare(): Promise<void> {
    this.probe = await this.world.service.uploadFile(Buffer.from(PROBE));
  }

  async inflict(fault: Fault): Promise<void> {
    const { world, tally } = this;
    switch (fault.kind) {
      case 'kill':
        if (fault.target === 'postgres') return this.killPostgres(fault.seconds);
        if (world.processes.get(fault.target)!.kill(fault.seconds)) tally.add(`kill ${fault.target}`);
        return;
      case 'freeze':
        if (await world.processes.get(fault.target)!.freeze(fault.seconds)) tally.add('freeze');
        return;
      case 'disk':
        tally.add('disk');
        return this.fillDisk(world.disks[fault.target], fault.seconds);
      case 'models':
        tally.add('models');
        renameSync(world.models.here, world.models.away);
        await delay(1_000 * fault.seconds);
        return renameSync(world.models.away, world.models.here);
      case 'descriptors':
        return this.lowerDescriptors(fault);
      case 'clock':
        tally.add('clock');
        return this.setClock(fault.offset);
      case 'network':
        tally.add('network');
        await world.proxy.spoil(fault.toxic, fault.share);
        await delay(1_000 * fault.seconds);
        return world.proxy.heal();
    }
  }

  /** Waits until all is as it should be again, once no fault is inflicted any more. */
  async heal(): Promise<void> {
    for (const each of this.world.processes.values()) await each.ready();
  }

  private async killPostgres(seconds: number): Promise<void> {
    const { postgres } = this.world;
    if (!postgres) return;
    this.tally.add('kill postgres');
    await postgres.kill();
    await delay(1_000 * seconds);
    // as long as what served its connections is there, it does not start
    await until('PostgreSQL is back', () =>
      postgres.start().then(
        () => true,
        () => false,
      ),
    );
  }

  private async fillDisk(folder: string, seconds: number): Promise<void> {
    const filler = join(folder, 'filler');
    fillDisk(filler);
    await delay(1_000 * seconds);
    rmSync(filler, { force: true });
  }

  /** So that a process can open only a few more. What it starts meanwhile has its limit. */
  private async lowerDescriptors({
    target,
    spare,
    seconds,
  }: Extract<Fault, { kind: 'descriptors' }>): Promise<void> {
    const kept = this.world.processes.get(target)!;
    const { pid } = kept;
    if (pid === undefined) return;
    this.tally.add('descriptors');
    // Node itself aborts where Temporal runs a workflow's code, with a time limit, and no descriptor is left for that
    kept.mayEnd = target !== 'service';
    const before = limitOf(pid);
    limit(pid, `${descriptorsOf(pid) + spare}:${before.hard}`);
    await delay(1_000 * seconds);
    if (kept.pid === pid) for (const member of familyOf(pid)) limit(member, `${before.soft}:${before.hard}`);
    await delay(ABORT_IS_SEEN_MS);
    kept.mayEnd = false;
  }

  /** An address that the service has given out holds whatever becomes of the clock. */
  private async setClock(seconds: number): Promise<void> {
    const { service, clockFile } = this.world;
    const address = await service.getOutputFileUrl(this.probe!, 'probe.txt').catch(() => undefined);
    writeFileSync(clockFile, `${seconds < 0 ? '' : '+'}${seconds}s`);
    await delay(CLOCK_IS_SEEN_MS);
    const answer = address && (await fetch(address).catch(() => undefined));
    if (!answer || answer.status >= 500) return;
    this.tally.add('address');
    const text = await answer.text().catch(() => PROBE);
    if (answer.status !== 200 || text !== PROBE)
      this.broken.push(`an address does not hold when the clock goes ${seconds} s: ${answer.status}`);
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
    // it is gone
  }
}
