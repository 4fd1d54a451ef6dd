import type { Database } from '../database/database.ts';
import type { ContentStore } from '../files/content-store.ts';
import type { ModelRegistry } from '../models/registry.ts';
import type { VersionFiles } from '../models/version-files.ts';
import type { Problems } from '../problems.ts';
import type { Progress } from '../runs/progress.ts';
import type { RunRepository } from '../runs/repository.ts';
import { Executors } from './executors.ts';
import { Fleet } from './fleet.ts';
import { laneQueues } from './lane.ts';
import { LaneKeeper, type LaneOptions } from './lane-keeper.ts';

export interface FleetStart {
  lanes: LaneOptions;
  sql: Database;
  now: () => number;
  service: string;
  executesAll: boolean;
  problems: Problems;
  onLeaky: (versionId: string, difference: string) => void;
  onFault: (error: unknown) => void;
  onRequeued: () => void;
  runs: RunRepository;
  registry: ModelRegistry;
  progress: Progress;
  files: ContentStore;
  code: VersionFiles;
  runTimeout: number | undefined;
}

/** The parts of the service that serve executors on other machines. */
export interface StartedFleet {
  fleet: Fleet;
  wake: () => void;
  close: () => Promise<void>;
}

/** @throws ForayError TEMPORAL_UNREACHABLE, TEMPORAL_REFUSED */
export async function startFleet(parts: FleetStart): Promise<StartedFleet> {
  const { lanes, sql, now, service, runs, registry, progress, files, code, runTimeout } = parts;
  const { namespace } = lanes;
  let keeper: LaneKeeper | undefined;
  const fleet = new Fleet({
    registry,
    progress,
    files,
    code,
    now,
    onArrived: () => keeper?.wake(),
    onLeaky: parts.onLeaky,
    executors: new Executors(sql, now),
    holders: runs.holders,
    welcome: {
      service,
      namespace,
      taskQueue: laneQueues(service).executors,
      runTimeout: runTimeout ?? null,
      hasStore: files.uploadAddress !== undefined,
    },
  });
  const started = (keeper = await LaneKeeper.start({ ...parts, fleet }, lanes));
  return { fleet, wake: () => started.wake(), close: () => started.close() };
}
