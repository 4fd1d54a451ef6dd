import js from '@eslint/js';
import importX, { createNodeResolver } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';
import { rooms, serviceRooms, sharedRooms } from './scripts/rooms.ts';

const closedIn = (folder, table, all = Object.keys(table)) =>
  Object.entries(table).flatMap(([room, open]) =>
    all
      .filter((other) => other !== room && !open.includes(other))
      .map((other) => ({
        target: `${folder}/${room}`,
        from: `${folder}/${other}`,
        message: `${room}/ may not import ${other}/ (docs/internals/architecture.md, Rooms)`,
      })),
  );
const closed = [
  ...closedIn('./src', rooms, [...Object.keys(rooms), 'cli']),
  ...closedIn('./src', sharedRooms, [...Object.keys({ ...rooms, ...sharedRooms }), 'cli']),
  ...closedIn('./src/service', serviceRooms),
];

export default tseslint.config(
  {
    ignores: ['node_modules/', 'dist/', 'docs/site/dist/', 'coverage/', 'reports/', '.foray/', 'foray-demo/'],
  },
  js.configs.recommended,
  {
    // in a folder with a blank it has %20, and is no path
    rules: {
      'no-restricted-syntax': [
        'error',
        ...[
          "MemberExpression[property.name='pathname']:has(MetaProperty)",
          "VariableDeclarator:has(ObjectPattern > Property[key.name='pathname']):has(MetaProperty)",
        ].map((selector) => ({
          selector,
          message: 'Use import.meta.dirname or fileURLToPath: pathname is percent-encoded.',
        })),
      ],
    },
  },
  {
    files: ['**/*.js', '**/*.mjs'],
    languageOptions: { globals: { process: 'readonly', console: 'readonly', URL: 'readonly' } },
  },
  {
    // in a browser
    files: ['src/service/animation/player/*.js', 'src/server/*/*.js'],
    languageOptions: {
      globals: Object.fromEntries(
        [
          'window',
          'document',
          'location',
          'history',
          'fetch',
          'setTimeout',
          'DOMParser',
          'FormData',
          'Node',
          'URLSearchParams',
        ].map((name) => [name, 'readonly']),
      ),
    },
  },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    plugins: { 'import-x': importX },
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    settings: {
      'import-x/parsers': { '@typescript-eslint/parser': ['.ts'] },
      'import-x/resolver-next': [createNodeResolver({ extensions: ['.ts', '.js'] })],
      'import-x/extensions': ['.ts', '.js'],
    },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      'import-x/no-restricted-paths': ['error', { basePath: import.meta.dirname, zones: closed }],
    },
  },
  {
    // A workflow runs in a sandbox: of what does I/O it may know the types only, and of others' code only
    // the pure domain (never its schema, which would pull zod into the bundle).
    files: ['src/workflows/**/*.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['../activities/*', '@temporalio/client', '@temporalio/worker'],
              allowTypeImports: true,
              message: 'types only in workflows',
            },
            {
              group: ['node:*', 'zod', 'acorn', '../campaign/definition.ts', '../campaign/expressions/*'],
              message: 'not in the workflow bundle',
            },
          ],
        },
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    ignores: ['test/support/fast-check.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        { paths: [{ name: 'fast-check', message: 'test/support/fast-check.ts has it with a seed' }] },
      ],
    },
  },
  {
    files: ['src/campaign/**/*.ts', 'src/workflows/**/*.ts'],
    rules: { 'no-restricted-globals': ['error', 'fetch', 'process'] },
  },
);
