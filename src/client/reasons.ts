import type { Difference } from '../campaign/change.ts';

/** Says what a retry requests again. People read this text in Temporal's list of workflows. */
export function retryReason({
  failed,
  missing,
  version,
}: {
  failed: number;
  missing: number;
  version: { to: number } | null;
}): string {
  const runs = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(missing > 0 ? [`${missing} waiting`] : []),
  ].join(' and ');
  const what = runs === '' ? 'retry' : `retry of ${runs} ${failed + missing === 1 ? 'run' : 'runs'}`;
  return version ? `${what} with version ${version.to}` : what;
}

/**
 * Says what an applied definition changes. About the points, the text has only their numbers before and after the
 * change, because foray knows the new points only after the change.
 *
 * @param points - the numbers of points before and after the change
 */
export function applyReason(
  points: { from: number; to: number },
  { replications, outputs, settings, version }: Omit<Difference, 'points'>,
): string {
  const changes = [
    `points ${points.from} → ${points.to}`,
    ...(replications.from === replications.to
      ? []
      : [`replications ${replications.from} → ${replications.to}`]),
    ...(outputs.added.length + outputs.dropped.length === 0 ? [] : ['outputs']),
    ...settings,
    ...(version ? [`version ${version.from} → ${version.to}`] : []),
  ];
  return `apply of a definition: ${changes.join(', ')}`;
}
