/** The open runs of a campaign that stops, counted by what happens to them. */
export interface StoppedRuns {
  /** Runs that the service has stopped, or does not know. */
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
