import { availableParallelism } from 'node:os';
import { packageModules } from './test/support/packages.ts';

/** ESM through Node's own loader; swc only strips the types. */
export default {
  testEnvironment: '<rootDir>/test/support/environment.js',
  reporters: ['default', '<rootDir>/test/support/slowest-files.js'],
  testSequencer: '<rootDir>/test/support/sequencer.js',
  roots: ['<rootDir>/test'],
  // npm run test:browser, test:postgres, test:s3, test:python, test:oracles, test:packed and test:fuzz; they need Chromium,
  // PostgreSQL, an S3 server, Python and packages
  testPathIgnorePatterns: [
    '/node_modules/',
    ...(process.env.FORAY_BROWSER ? [] : ['<rootDir>/test/browser/']),
    ...(process.env.FORAY_POSTGRES ? [] : ['<rootDir>/test/postgres/']),
    ...(process.env.FORAY_S3 ? [] : ['<rootDir>/test/s3/']),
    ...(process.env.FORAY_PYTHON ? [] : ['<rootDir>/test/python/']),
    ...(process.env.FORAY_ORACLES ? [] : ['<rootDir>/test/oracles/']),
    ...(process.env.FORAY_PACKED ? [] : ['<rootDir>/test/packed/']),
    ...(process.env.FORAY_FUZZ ? [] : ['<rootDir>/test/fuzz/']),
  ],
  moduleNameMapper: packageModules,
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' } },
    ],
  },
  globalSetup: '<rootDir>/test/support/setup.ts',
  testTimeout: 240_000,
  // tests of real servers mostly wait, but with four workers a core the whole run took longer
  maxWorkers: 3 * availableParallelism(),
  // a worker keeps some of each file that it has run
  workerIdleMemoryLimit: '1GB',
};
