import { findTemporalCli } from '../../src/dev/temporal-cli.ts';

/** Before all tests: finds or makes a Temporal server once, so that tests side by side do not each build one. */
export default async function setup(): Promise<void> {
  process.env.FORAY_TEMPORAL_CLI = await findTemporalCli((line) => process.stderr.write(`${line}\n`));
}
