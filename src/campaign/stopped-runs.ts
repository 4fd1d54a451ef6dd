/** How many runs of a campaign were stopped or are unknown to the service, and how many go on. */
export interface StoppedRuns {
  stopped: number;
  /** Runs that go on for other campaigns, or that the campaign did not start. */
  kept: number;
  /** Runs that the service refused to stop. */
  refused: number;
}

export function stoppedText({ stopped, kept, refused }: StoppedRuns): string {
  return [
    `${stopped} ${stopped === 1 ? 'run' : 'runs'} stopped`,
    ...(kept > 0 ? [`${kept} left to other campaigns`] : []),
    ...(refused > 0 ? [`${refused} that the service refuses to stop`] : []),
  ].join(', ');
}
