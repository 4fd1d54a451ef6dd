import type { CampaignStatus } from '../../src/client/index.ts';

/** The status of a running campaign with a design. */
export const status: CampaignStatus = {
  id: 'x-1',
  name: 'x',
  phase: 'running',
  model: 'M',
  modelVersion: 1,
  service: 'http://127.0.0.1:1',
  question: 'try',
  points: 40,
  runs: { total: 40, done: 15, new: 12, reused: 3, failed: 1, running: 4, queued: 6, waiting: 14 },
  precision: null,
  strategy: { by: 'design' },
  window: 10,
  rate: 2.5,
  secondsLeft: 70,
  concurrency: 'auto',
  build: null,
  pausedBy: null,
  submitted: '2026-01-01T00:00:00.000Z',
  owner: null,
  goal: null,
  source: 'workflow',
  asOf: '2026-01-01T00:00:00.000Z',
  note: '',
  blocked: null,
};
