import { parseArgs } from 'node:util';
import { openLab } from './lab.ts';
import { million } from './parts/million.ts';
import { none } from './parts/none.ts';
import { there } from './parts/there.ts';
import { timed } from './parts/timed.ts';
import { workers } from './parts/workers.ts';
import { installPeers } from './peers/install.ts';
import { documentOf, isMet, type Part, textOf } from '../report.ts';

const names = ['timed', 'none', 'there', 'million', 'workers'] as const;
type Name = (typeof names)[number];

/**
 * Measures whole campaigns with real processes: foray and its alternatives. All of them use one stub of a model
 * service, which needs little CPU time. `--only` names the parts to run. `--peers` adds the alternatives in Python to
 * the part `timed`. `--runs` is the number of runs in the part `million`. `--cv` is the coefficient of variation of the
 * durations in the part `timed`.
 */
export async function run(args: string[]): Promise<boolean> {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string', default: names.join(',') },
      peers: { type: 'boolean', default: false },
      runs: { type: 'string', default: '1000000' },
      cv: { type: 'string', default: '0' },
      json: { type: 'boolean', default: false },
    },
  });
  const wanted = values.only.split(',').map(known);
  const peers = values.peers ? await installPeers() : undefined;
  const lab = await openLab();
  try {
    const measure: Record<Name, () => Promise<Part>> = {
      timed: () => timed(lab, { cv: Number(values.cv), ...(peers && { peers }) }),
      none: () => none(lab),
      there: () => there(lab),
      million: () => million(lab, Number(values.runs)),
      workers: () => workers(lab),
    };
    const parts: Part[] = [];
    for (const name of wanted) {
      const part = await measure[name]();
      parts.push(part);
      if (!values.json) console.log(textOf(part));
    }
    if (values.json) console.log(JSON.stringify({ parts: parts.map(documentOf) }, undefined, 2));
    return parts.every(({ goals }) => goals.every(isMet));
  } finally {
    await lab.close();
  }
}

function known(name: string): Name {
  const found = names.find((candidate) => candidate === name);
  if (!found) throw new Error(`The bench has no part "${name}". Known: ${names.join(', ')}.`);
  return found;
}
