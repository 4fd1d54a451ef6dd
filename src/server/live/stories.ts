import type { Campaign } from '../../campaign/types.ts';
import { storyOfCalibration, storyOfSearch, storyOfSelect } from '../../client/search.ts';
import type { Told } from '../../report/html/report-sections.ts';
import type { Store } from '../../store/index.ts';

/** The courses of a search, a selection and a calibration; each is null for a campaign without it. */
export type Stories = Required<Pick<Told, 'search' | 'select' | 'calibration'>>;

export async function storiesOf(store: Store, campaign: Campaign): Promise<Stories> {
  return {
    search: await storyOfSearch(store, campaign),
    select: await storyOfSelect(store, campaign),
    calibration: await storyOfCalibration(store, campaign),
  };
}
