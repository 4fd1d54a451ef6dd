import { availableParallelism } from 'node:os';

/**
 * The tests that `npm test` leaves out unless a flag is set; `.ci/run` sets all flags. Those of FORAY_SYSTEM kill processes, run
 * whole installations, or take long (a room's folder `whole`), and cover again what quicker tests cover. The others need Chromium, PostgreSQL, an S3 server,
 * Temporal's server for production, Python or packages.
 */
const SECOND_TIER = {
  FORAY_SYSTEM: ['e2e/', 'faults/', 'fleet/', '([a-z]+/)+whole/'],
  FORAY_BROWSER: ['browser/'],
  FORAY_POSTGRES: ['postgres/'],
  FORAY_S3: ['s3/'],
  FORAY_SERVER: ['temporal-server/'],
  FORAY_PYTHON: ['python/'],
  FORAY_ORACLES: ['oracles/'],
  FORAY_PACKED: ['packed/'],
  FORAY_FUZZ: ['fuzz/'],
};

/** Node loads the tests (support/runner.js). */
export default {
  testEnvironment: '<rootDir>/test/support/environment.js',
  reporters: ['default', '<rootDir>/test/support/slowest-files.js'],
  testSequencer: '<rootDir>/test/support/sequencer.js',
  roots: ['<rootDir>/test'],
  testPathIgnorePatterns: [
    '/node_modules/',
    ...Object.entries(SECOND_TIER).flatMap(([flag, paths]) =>
      process.env[flag] ? [] : paths.map((path) => `<rootDir>/test/${path}`),
    ),
  ],
  testRunner: '<rootDir>/test/support/runner.js',
  // Node strips the types
  transform: {},
  globalSetup: '<rootDir>/test/support/setup.ts',
  // long, because a test waits for several conditions, and each of them has a limit of its own (support/until.ts)
  testTimeout: 900_000,
  // tests of real servers mostly wait; with fewer workers, two cores are idle for a part of the slow files
  maxWorkers: 3 * availableParallelism() + 2,
  // a worker keeps some of each file that it has run
  workerIdleMemoryLimit: '1GB',
};
