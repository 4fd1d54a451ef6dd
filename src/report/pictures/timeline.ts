import type { RunCounts } from '../../campaign/types.ts';
import { capitalized } from '../../text/printable.ts';
import { type Figure, sentences } from './figure.ts';
import { colourKey } from './key.ts';
import { PictureNumbers } from './numbers.ts';
import { colours, type Spec, WIDTH } from './vega.ts';
import { type Moment, runKinds, type Timeline } from '../summary/timeline.ts';
import { counted } from '../words/words.ts';

/**
 * Makes the picture of runs over time. Empty if no run was outstanding, because no run has finished or all runs were
 * reused.
 */
export function timelineFigures(timeline: Timeline, counts: RunCounts): Figure[] {
  if (timeline.outstandingTime === 0) return [];
  const open = counts.running + counts.queued;
  return [
    {
      title: 'Timeline',
      caption: sentences(
        "Above: the number of outstanding runs, which were requested and not yet seen to have finished; this includes runs in the service's queue",
        'Below: the number of runs that finished',
        counts.reused > 0 ? 'Reused runs are only in the lower picture' : undefined,
        open > 0 ? `The ${counted(open, 'run')} that are outstanding now are not included` : undefined,
        'For a run that was tried again, only the last attempt is known',
      ),
      id: 'timeline',
      ...timelinePicture(timeline.moments()),
    },
  ];
}

/**
 * The units of the time axis, each with the shortest timeline in ms that uses the unit (`from`), the length of the unit
 * in ms, and its names in the singular and plural.
 */
const units = [
  { from: 0, ms: 1_000, one: 'second', many: 'seconds' },
  { from: 5 * 60_000, ms: 60_000, one: 'minute', many: 'minutes' },
  { from: 5 * 3_600_000, ms: 3_600_000, one: 'hour', many: 'hours' },
  { from: 5 * 86_400_000, ms: 86_400_000, one: 'day', many: 'days' },
] as const;

/** The maximum number of bars. */
const BARS = 64;

/** The shortest time in ms for which the picture shows a rate of finished runs. */
const SHORTEST = 1_000;

const kindColours = { new: colours.line, reused: colours.muted, failed: colours.bad };

/**
 * Draws outstanding runs over time, and below them finished runs as bars, stacked by kind.
 *
 * @param moments - adjacent intervals of one width, at least one
 */
export function timelinePicture(moments: readonly Moment[]): Pick<Figure, 'spec' | 'numbers'> {
  const start = moments[0]!.from;
  const span = moments.at(-1)!.to - start;
  const { ms, one, many } = units.findLast(({ from }) => span >= from)!;
  const at = (time: number): number => (time - start) / ms;
  const x = (title: string | null) => ({
    field: 'from',
    type: 'quantitative',
    scale: { domain: [0, at(start + span)], nice: false },
    title,
    axis: { grid: false, tickCount: 10 },
  });
  const numbers = new PictureNumbers([
    { title: `From (${many})` },
    { title: `To (${many})` },
    { title: 'Runs outstanding' },
    { title: 'Runs' },
    { title: `Finished per ${one}` },
  ]);
  const bars = barsOf(moments, ms).map(({ from, to, ...bar }) => {
    const ends = { from: at(from), to: at(to) };
    return { ...bar, ...ends, ...numbers.add([ends.from, ends.to, null, bar.kind, bar.high - bar.low]) };
  });
  const present = runKinds.filter((kind) => bars.some((bar) => bar.kind === kind));
  const colourOf = colourKey(
    present.map((kind) => ({ name: kind, colour: kindColours[kind], opacity: 1, kind: 'area' })),
  );
  const steps = moments.map(({ from, to, outstanding }) => ({
    from: at(from),
    outstanding,
    ...numbers.add([at(from), at(to), outstanding]),
  }));
  const last = { from: at(start + span), outstanding: steps.at(-1)!.outstanding };
  const spec = {
    vconcat: [
      {
        width: WIDTH - 90,
        height: 170,
        data: { values: [...steps, last] },
        mark: { type: 'area', interpolate: 'step-after', color: colours.line, opacity: 0.75 },
        encoding: {
          x: x(null),
          y: {
            field: 'outstanding',
            type: 'quantitative',
            title: 'Runs outstanding',
            axis: { tickCount: 5 },
          },
        },
      },
      {
        width: WIDTH - 90,
        height: 110,
        layer: present.map((kind) => ({
          data: { values: bars.filter((bar) => bar.kind === kind) },
          mark: { type: 'rect' },
          encoding: {
            x: x(`${capitalized(many)} since the first request`),
            x2: { field: 'to' },
            y: { field: 'low', type: 'quantitative', title: `Finished per ${one}`, axis: { tickCount: 4 } },
            y2: { field: 'high' },
            color: colourOf(kind),
          },
        })),
      },
    ],
    spacing: 16,
  } as Spec;
  return { spec, numbers };
}

/**
 * The bars of finished runs per unit of time. A bar covers several intervals, and its kinds are stacked. Only the last
 * bar may be shorter than `SHORTEST`. Its height is computed as if it were as long as `SHORTEST`, because no run has
 * finished after it.
 */
function barsOf(moments: readonly Moment[], unit: number) {
  const width = moments[0]!.to - moments[0]!.from;
  const together = Math.ceil(Math.max(moments.length / BARS, SHORTEST / width));
  return Array.from({ length: Math.ceil(moments.length / together) }, (_, i) => {
    const members = moments.slice(i * together, (i + 1) * together);
    const [from, to] = [members[0]!.from, members.at(-1)!.to];
    let high = 0;
    return runKinds.flatMap((kind) => {
      const count = members.reduce((sum, { finished }) => sum + finished[kind], 0);
      const low = high;
      high += (count * unit) / Math.max(to - from, SHORTEST);
      return count > 0 ? [{ kind, from, to, low, high }] : [];
    });
  }).flat();
}
