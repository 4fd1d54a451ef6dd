/**
 * What each room of src may import of the others: ESLint refuses the rest. docs/architecture.md has the same table, and a test
 * compares the two.
 */
export const rooms = {
  api: [],
  statistics: [],
  campaign: ['api', 'statistics'],
  cloud: ['api'],
  search: ['api', 'campaign', 'statistics'],
  sensitivity: ['api', 'campaign', 'statistics'],
  store: ['api', 'campaign'],
  resolve: ['api', 'campaign', 'cloud'],
  workflows: ['campaign', 'activities'],
  activities: ['api', 'campaign', 'cloud', 'store', 'resolve', 'search'],
  client: [
    'api',
    'campaign',
    'cloud',
    'store',
    'resolve',
    'search',
    'sensitivity',
    'workflows',
    'statistics',
  ],
  report: ['api', 'campaign', 'store', 'client', 'search', 'sensitivity', 'statistics'],
  service: ['api'],
  dev: ['api', 'workflows'],
  settings: ['api', 'client', 'dev'],
};
