import type { CampaignOutput } from '../../campaign/types.ts';
import type { MainEffects } from '../effects.ts';
import { titleOf } from '../words.ts';
import { colours, type Spec, WIDTH } from './render.ts';

const COLUMNS = 3;

/**
 * The mean of an output by the value of each input, an input a panel; all panels have one scale, so that a flat one
 * means no effect. A single input fills the width. The lowest mean of a panel is marked.
 */
export function mainEffects({ effects }: MainEffects, output: CampaignOutput): Spec {
  const columns = Math.min(COLUMNS, effects.length);
  const size =
    columns === 1
      ? { width: WIDTH - 90, height: 380 }
      : { width: Math.floor(WIDTH / columns) - 95, height: 210 };
  const domain = padded(effects.flatMap(({ means }) => means.map(({ mean }) => mean)));
  const panels = effects.map((effect) => ({ ...size, ...panel(effect, output, domain) }));
  return (columns === 1 ? panels[0]! : { concat: panels, columns, spacing: 28 }) as Spec;
}

function panel({ axis, means }: MainEffects['effects'][number], output: CampaignOutput, domain: number[]) {
  const lowest = means.reduce((a, b) => (b.mean < a.mean ? b : a), means[0]!);
  const values = means.map(({ bin, mean }) => ({
    x: axis.numeric ? axis.bins[bin]!.value : axis.bins[bin]!.label,
    mean,
    lowest: bin === lowest?.bin,
  }));
  const title = titleOf(axis.input);
  const x = axis.numeric
    ? ({
        field: 'x',
        type: 'quantitative',
        scale: { zero: false, nice: false, padding: 12 },
        title,
        axis: { grid: false },
      } as const)
    : ({
        field: 'x',
        type: 'nominal',
        sort: null,
        title,
        axis: { labelAngle: means.length > 4 ? -40 : 0 },
      } as const);
  return {
    data: { values },
    encoding: {
      x,
      y: {
        field: 'mean',
        type: 'quantitative',
        scale: { domain, nice: false, zero: false },
        title: titleOf(output),
      },
    },
    layer: [
      ...(axis.numeric ? [{ mark: { type: 'line', color: colours.line, strokeWidth: 2 } }] : []),
      ...(means.length <= 60
        ? [{ mark: { type: 'point', filled: true, color: colours.line, opacity: 1, size: 40 } }]
        : []),
      {
        transform: [{ filter: 'datum.lowest' }],
        mark: { type: 'point', filled: true, color: colours.best, opacity: 1, size: 90 },
      },
    ],
  };
}

function padded(values: readonly number[]): [number, number] {
  const min = values.reduce((a, b) => Math.min(a, b), Infinity);
  const max = values.reduce((a, b) => Math.max(a, b), -Infinity);
  const margin = (max - min) * 0.06 || Math.abs(max) * 0.06 || 1;
  return [min - margin, max + margin];
}
