import tseslint from 'typescript-eslint';
import reactHooks from 'eslint-plugin-react-hooks';

/** A layer may import only what its row allows (docs/architecture.md). The message names the rule so that a reviewer need not. */
const layer = (files, forbidden) => ({
  files,
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: forbidden.map(([group, message]) => ({ group: Array.isArray(group) ? group : [group], message })),
      },
    ],
  },
});

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

export default tseslint.config(
  { ignores: ['out/**', 'dist/**', 'node_modules/**', 'test/results/**', '.cache/**'] },
  ...tseslint.configs.recommended,
  {
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  {
    // What needs types: a promise that nobody waits for is a rejection that nobody hears of, a switch without a case for
    // each member of its union does nothing for the new one.
    files: ['src/**/*.{ts,tsx}', 'test/**/*.{ts,tsx}', 'scripts/**/*.{ts,mjs}', '*.{ts,mts,mjs}'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      // A `default` says that the rest was thought of.
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    },
  },
  {
    // The development runtime is older than the one that ships; types and plain Node know more than it has.
    files: ['src/**/*.{ts,tsx}'],
    rules: {
      'no-restricted-properties': [
        'error',
        ...[
          ['URL', 'canParse'],
          ['AbortSignal', 'any'],
          ['Promise', 'withResolvers'],
          ['Object', 'groupBy'],
          ['Array', 'fromAsync'],
        ].map(([object, property]) => ({ object, property, message: 'The development runtime has none.' })),
      ],
    },
  },
  {
    // What reads the system's own files (/proc) or what is packed with the app may do so by name.
    files: ['src/main/**/*.ts'],
    ignores: [
      'src/main/app/protocol.ts',
      'src/main/consent/consent-session.ts',
      'src/main/profile/leveldb-tail.ts',
      'src/main/{commands/{proc,marks,command-group},places/mounts}.ts',
    ],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...[
          'ImportDeclaration[source.value=/^(node:)?fs(\\u002fpromises)?$/] > ImportSpecifier[imported.name=/^readFile(Sync)?$/]',
          'MemberExpression[property.name=/^readFile(Sync)?$/]',
        ].map((selector) => ({
          selector,
          message:
            'It waits for a pipe and has no bound: use readRegular (src/main/own-files) or the opening of tools (safe-open).',
        })),
      ],
    },
  },
  layer(['src/shared/**/*.ts'], [noMain, noRenderer, noPreload, noNode, noReact, onePiAi]),
  layer(['src/main/**/*.ts'], [noRenderer, noPreload, noReact, onePiAi]),
  layer(['src/preload/**/*.ts'], [noMain, noRenderer, noReact, onePiAi]),
  layer(['src/renderer/**/*.{ts,tsx}'], [noMain, noPreload, noNode, onePiAi]),
  layer(['src/renderer/actions/**/*.ts'], [noMain, noPreload, noNode, onePiAi, noComponents]),
  layer(['src/renderer/state/**/*.ts'], [noMain, noPreload, noNode, onePiAi, noComponents, noActions]),
  { files: ['src/main/pi/pi.ts', 'src/main/pi/pi-types.ts'], rules: { 'no-restricted-imports': 'off' } },
  {
    files: ['src/renderer/**/*.{ts,tsx}'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['zod', '@shared/ipc/contract', '@shared/ipc/request-spec', '@shared/ipc/tree-requests'],
              allowTypeImports: true,
              message: 'Schemas are main’s: making them costs the start of the window 30 ms. Import types only.',
            },
          ],
        },
      ],
    },
  },
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
    plugins: { 'react-hooks': reactHooks },
    rules: { 'react-hooks/rules-of-hooks': 'error', 'react-hooks/exhaustive-deps': 'error' },
  },
  { files: ['scripts/**', 'test/**'], rules: { 'no-console': 'off' } },
  { files: ['test/**'], rules: { '@typescript-eslint/no-non-null-assertion': 'off' } },
);
