import { join } from 'node:path';
import { afterEach, beforeEach } from '@jest/globals';
import { openStore, type Store } from '../../src/store/index.ts';
import { temporaryFolder } from '../store/folder.ts';
import { campaign, done, failed } from '../store/fixtures.ts';
import { foray } from '../support/cli.ts';

export let folder: ReturnType<typeof temporaryFolder>;
export let store: Store;
/** These tests have no service and no Temporal server, because results need only the store. */
beforeEach(async () => {
  folder = temporaryFolder();
  store = await openStore(address());
  const flu = {
    ...campaign('flu'),
    varied: [{ name: 'Days', type: 'INTEGER', units: 'DAY' } as const],
    outputs: [
      { name: 'Fit error', type: 'DOUBLE', units: null } as const,
      { name: 'Orders', type: 'LONG', units: null } as const,
    ],
    replications: 2,
  };
  await store.addCampaign({ campaign: flu, definition: 'campaign: flu\n', digest: '' }, 1);
  const points = ['a', 'b', 'c'].map((key, ordinal) => ({ ordinal, key, values: [String(ordinal)] }));
  await store.addPoints('flu', points, 2);
  await store.setPhase('flu', 'running', 2);
  await finish(3, 0, 1);
});
afterEach(async () => {
  await store.close();
  folder.remove();
});

export const address = (): string => `sqlite:${join(folder.path, 'store.db')}`;
/**
 * No server listens here. At Temporal's usual address, another test may run a `foray dev` with a campaign `flu` that has
 * ended. To foray, this test's campaign would then have ended too.
 */
const NO_TEMPORAL = '127.0.0.1:1';
export const env = () => ({ FORAY_STORE: address(), TEMPORAL_ADDRESS: NO_TEMPORAL });
export const run = (...args: string[]) => foray(folder.path, args, { env: env() });

/** Finishes runs. The output of the second run is not a number, and the fifth run fails. */
export async function finish(...seqs: number[]): Promise<void> {
  await store.intend('flu', seqs, 1);
  const seen = seqs.map((seq) => {
    const outputs = { 'Fit error': seq === 1 ? '"many"' : `${seq}.5`, Orders: '9223372036854775807' };
    return seq === 4 ? failed(seq, 'too many') : done(seq, 'new', outputs);
  });
  await store.observe('flu', seen, 3);
}
