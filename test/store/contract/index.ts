import { describe } from '@jest/globals';
import type { TestDatabase } from '../fixtures.ts';
import { describeCampaigns } from './campaigns.ts';
import { describeFiles } from './files.ts';
import { describeCounts } from './counts.ts';
import { describeGrowth } from './growth.ts';
import { describeRecent } from './recent.ts';
import { describeVersions } from './versions.ts';
import { describeRequests } from './requests.ts';
import { describeObservations } from './observations.ts';
import { describeResults } from './results.ts';
import { describeChanges } from './changes.ts';
import { describeInterruptedChanges } from './interrupted-changes.ts';
import { describeAnyChanges } from './any-changes.ts';
import { describeRetries } from './retries.ts';

/**
 * The tests that every store must pass, whatever its database.
 *
 * @param effort - the share of the random cases that run; it is small for a slow database
 */
export function describeStore(
  name: string,
  createDatabase: () => Promise<TestDatabase> | TestDatabase,
  effort = 1,
): void {
  describe(name, () => {
    describeCampaigns(createDatabase);
    describeFiles(createDatabase);
    describeRequests(createDatabase);
    describeObservations(createDatabase, effort);
    describeResults(createDatabase);
    describeChanges(createDatabase);
    describeInterruptedChanges(createDatabase, effort);
    describeAnyChanges(createDatabase, effort);
    describeRetries(createDatabase);
    describeCounts('the counts of runs', createDatabase, effort);
    describeGrowth('points that grow', createDatabase, effort);
    describeRecent('recently finished runs', createDatabase, effort);
    describeVersions('versions, services and failed attempts', createDatabase);
  });
}
