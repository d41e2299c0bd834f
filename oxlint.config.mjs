import { defineConfig } from 'oxlint';

const noMain = [['**/main/**'], 'Imports point renderer → shared ← main: main is not reachable from here.'];
const noRenderer = [['**/renderer/**'], 'Imports point renderer → shared ← main: renderer is not reachable from here.'];
const noPreload = [['**/preload/**'], 'The preload is a bridge; nothing imports it.'];
const noNode = [['node:*', 'electron', 'electron/*'], 'No Node or Electron in this layer.'];
const noReact = [['react', 'react-dom', 'react-dom/*', 'zustand', 'dexie'], 'No UI libraries in this layer.'];
const noComponents = [
  ['../app/**', '../features/**', '../parts/**'],
  'What can be done does not know how it is drawn.',
];
const noActions = [['../actions/**'], 'Actions stand on the state, not the other way round.'];
const onePiAi = [
  ['@mariozechner/pi-ai', '@mariozechner/pi-ai/*', '@mariozechner/pi-agent-core'],
  'pi-ai is imported from src/main/pi/pi.ts only (lazily), so that its successor is one change. Types may be imported with `import type` from src/main/pi/pi-types.ts.',
];
const noSchemas = [
  ['zod', '@shared/ipc/contract', '@shared/ipc/request-spec', '@shared/ipc/tree-requests'],
  'Schemas are main’s: making them costs the start of the window 30 ms. Import types only.',
  { allowTypeImports: true },
];
const UNBOUND =
  'It waits for a pipe and has no bound: use readRegular (src/main/own-files) or the opening of tools (safe-open).';
const READS = ['readFile', 'readFileSync'];

/** What each layer may not import (docs/architecture.md). The message names the rule so that a reviewer need not. */
const layer = (files, forbidden, paths = []) => ({
  files,
  rules: {
    'no-restricted-imports': [
      'error',
      { paths, patterns: forbidden.map(([group, message, more]) => ({ group, message, ...more })) },
    ],
  },
});
const noReads = ['fs', 'node:fs', 'fs/promises', 'node:fs/promises'].map((name) => ({
  name,
  importNames: READS,
  message: UNBOUND,
}));

const noReadCalls = READS.map((property) => ({ property, message: UNBOUND }));

/** What reads the system's own files (/proc) or what is packed with the app may do so by name. */
const MAY_READ = [
  'src/main/app/protocol.ts',
  'src/main/consent/consent-session.ts',
  'src/main/profile/leveldb-tail.ts',
  'src/main/{commands/{proc,marks,command-group},places/mounts}.ts',
];

/** The development runtime is older than the one that ships; types and plain Node know more than it has. */
const noNewer = [
  ['URL', 'canParse'],
  ['AbortSignal', 'any'],
  ['Promise', 'withResolvers'],
  ['Object', 'groupBy'],
  ['Array', 'fromAsync'],
].map(([object, property]) => ({ object, property, message: 'The development runtime has none.' }));

const inMain = [noRenderer, noPreload, noReact, onePiAi];
const inWindow = [noMain, noPreload, noNode, onePiAi, noSchemas];

export default defineConfig({
  plugins: ['typescript', 'react'],
  categories: { correctness: 'off' },
  options: { typeAware: true },
  ignorePatterns: ['out/**', 'dist/**', 'test/results/**', '.cache/**'],
  rules: {
    'no-array-constructor': 'error',
    'no-unused-expressions': 'error',
    'no-var': 'error',
    'prefer-const': 'error',
    'prefer-rest-params': 'error',
    'prefer-spread': 'error',
    'no-console': 'error',
    'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    eqeqeq: 'error',
    'typescript/ban-ts-comment': 'error',
    'typescript/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
    'typescript/no-duplicate-enum-values': 'error',
    'typescript/no-empty-object-type': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-extra-non-null-assertion': 'error',
    'typescript/no-misused-new': 'error',
    'typescript/no-namespace': 'error',
    'typescript/no-non-null-asserted-optional-chain': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/no-require-imports': 'error',
    'typescript/no-this-alias': 'error',
    'typescript/no-unnecessary-type-constraint': 'error',
    'typescript/no-unsafe-declaration-merging': 'error',
    'typescript/no-unsafe-function-type': 'error',
    'typescript/no-wrapper-object-types': 'error',
    'typescript/prefer-as-const': 'error',
    'typescript/prefer-namespace-keyword': 'error',
    'typescript/triple-slash-reference': 'error',
  },
  overrides: [
    {
      files: ['src/**/*.{ts,tsx}', 'test/**/*.{ts,tsx}', 'scripts/**/*.{ts,mjs}', '*.{ts,mts,mjs}'],
      rules: {
        // What needs types: a promise that nobody waits for is a rejection that nobody hears of, a switch without a case for
        // each member of its union does nothing for the new one.
        'typescript/await-thenable': 'error',
        'typescript/no-floating-promises': 'error',
        'typescript/no-misused-promises': 'error',
        // A `default` says that the rest was thought of.
        'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      },
    },
    { files: ['src/**/*.{ts,tsx}'], rules: { 'no-restricted-properties': ['error', ...noNewer] } },
    { files: ['src/main/**/*.ts'], rules: { 'no-restricted-properties': ['error', ...noNewer, ...noReadCalls] } },
    { files: MAY_READ, rules: { 'no-restricted-properties': ['error', ...noNewer] } },
    layer(['src/shared/**/*.ts'], [noMain, noRenderer, noPreload, noNode, noReact, onePiAi]),
    layer(['src/main/**/*.ts'], inMain, noReads),
    layer(MAY_READ, inMain),
    { files: ['src/main/pi/pi.ts', 'src/main/pi/pi-types.ts'], rules: { 'no-restricted-imports': 'off' } },
    layer(['src/preload/**/*.ts'], [noMain, noRenderer, noReact, onePiAi]),
    layer(['src/renderer/**/*.{ts,tsx}'], inWindow),
    layer(['src/renderer/actions/**/*.ts'], [...inWindow, noComponents]),
    layer(['src/renderer/state/**/*.ts'], [...inWindow, noComponents, noActions]),
    {
      // What a person does runs and is tested without a page; what it needs of one it asks `app.page` for.
      files: ['src/renderer/{state,actions}/**/*.{ts,tsx}'],
      rules: {
        'no-restricted-globals': [
          'error',
          ...['document', 'window', 'navigator', 'location', 'localStorage', 'CSS', 'HTMLElement', 'Element'],
          ...['requestAnimationFrame', 'cancelAnimationFrame', 'getComputedStyle', 'matchMedia'],
        ].map((name) =>
          name === 'error' ? name : { name, message: 'State and actions never touch the page: see state/page.ts.' },
        ),
      },
    },
    {
      files: ['src/renderer/**/*.{ts,tsx}'],
      rules: { 'react/rules-of-hooks': 'error', 'react/exhaustive-deps': 'error' },
    },
    { files: ['scripts/**', 'test/**'], rules: { 'no-console': 'off' } },
    { files: ['test/**'], rules: { 'typescript/no-non-null-assertion': 'off' } },
  ],
});
