/**
 * The rooms that each room of src may import. The room cli is not listed, because it may import all rooms.
 * test/architecture.test.ts reports all other imports. It also compares this table with the table in
 * docs/internals/architecture.md.
 */
export const rooms = {
  api: [],
  statistics: [],
  campaign: ['api', 'statistics'],
  cloud: ['api'],
  search: ['api', 'campaign', 'statistics'],
  sensitivity: ['api', 'campaign', 'statistics', 'search'],
  postgres: [],
  store: ['api', 'campaign', 'postgres'],
  resolve: ['api', 'campaign', 'cloud'],
  workflows: ['campaign', 'activities'],
  notices: ['campaign', 'cloud'],
  activities: ['api', 'campaign', 'cloud', 'notices', 'store', 'resolve', 'search', 'sensitivity'],
  client: [
    'api',
    'campaign',
    'cloud',
    'store',
    'resolve',
    'search',
    'sensitivity',
    'workflows',
    'activities',
    'statistics',
  ],
  report: ['api', 'campaign', 'store', 'client', 'search', 'sensitivity', 'statistics'],
  http: [],
  keys: [],
  service: ['api', 'http', 'keys', 'postgres', 'statistics'],
  server: [
    'api',
    'campaign',
    'client',
    'report',
    'resolve',
    'search',
    'sensitivity',
    'store',
    'http',
    'keys',
  ],
  dev: ['api', 'workflows'],
  settings: ['api', 'client', 'dev'],
};

/** The rooms that all rooms may import, each with the rooms that it may import. */
export const sharedRooms = {
  text: [],
  yaml: ['text', 'system'],
  csv: [],
  system: [],
  package: [],
};

/** The rooms that each room of src/service may import. All rooms of src/service may import the files directly in it. */
export const serviceRooms = {
  database: [],
  files: ['database'],
  models: ['database', 'files'],
  executors: ['files', 'models'],
  runs: ['database', 'executors', 'files', 'models'],
  animation: ['executors', 'files', 'models', 'runs'],
  trials: ['database', 'executors', 'files', 'models', 'runs'],
  move: ['database', 'files', 'models', 'runs'],
  fleet: ['database', 'files', 'models', 'runs'],
  'remote-executor': ['executors', 'files', 'fleet', 'models', 'runs'],
  http: ['animation', 'files', 'fleet', 'models', 'runs'],
};
