import { Option } from 'commander';

/**
 * The option `--show OUTPUT`, which may be given several times: an output, or a formula over outputs.
 *
 * @param about - what the option selects
 */
export function showOption(about: string): Option {
  const description = `${about}, such as "P(Peak > 300)" or "Q(Peak, 0.9)"; may be given several times`;
  return new Option('--show <output>', description).argParser(
    (written: string, before: string[] | undefined) => [...(before ?? []), written],
  );
}
