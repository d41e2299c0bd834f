import type { KnipConfig } from 'knip';

/**
 * `knip` finds what nobody uses, `knip --production` what only tests use: there an entry without `!` does not count. What its own
 * file uses ships, so production takes it as used; otherwise it may stay exported only if another file imports it.
 */
const isProduction = process.argv.includes('--production');

const config: KnipConfig = {
  entry: [
    'src/preload/{index,consent}.ts!',
    // Read as text by scripts/vite-mermaid-frame.ts.
    'src/renderer/mermaid-frame/frame.js!',
    // A link of consent.html, which has no script.
    'src/renderer/consent.css!',
    'scripts/*.mjs',
    'scripts/lib/{run-ts,skip-reasons}.mjs',
    // Loaded by their name in test/unit/setup/scripts.test.ts and test/integration/build.
    'scripts/lib/{audit,build,dependencies,runtime,tally}.mjs',
    'scripts/default-app/main.js',
    'test/{unit,integration}/**/*.test.{ts,tsx}',
    'test/e2e/*.spec.ts',
    'test/{bench,faults}/main.ts',
    'test/{bench,faults}/cases/*.ts',
    'test/fixtures/{record,tour}/main.ts',
    // Programs that tests and benches start by their path.
    'test/integration/tools/programs/*.ts',
    'test/support/apart/main/main.mts',
    'test/support/faults/import-program.ts',
    'test/support/hung-mount-server.mjs',
    'test/support/mcp/hostile-server.mjs',
    'test/support/model-server/hostile-process.ts',
    'test/bench/model-process.ts',
    'test/bench/window/{main-graph.mjs,start-probe.js,bare/main.cjs,page/main.ts,same-code/main.cjs,same-code/main.ts}',
  ],
  project: ['src/**/*.{ts,tsx,js,css}!', 'test/**/*.{ts,tsx,mts,mjs,js,cjs}', 'scripts/**/*.{mjs,ts,js}'],
  ignoreExportsUsedInFile: isProduction,
  ignoreDependencies: [
    // A provider's package needs it to be bundled at all (docs/decisions/0003).
    ...(isProduction ? ['@opentelemetry/api'] : []),
    // Bundled into its frame by scripts/vite-mermaid-frame.ts, which finds it by name.
    'mermaid',
    // A peer that the bench fetches for itself.
    ...(isProduction ? [] : ['react-markdown']),
    // Programs that tests start by their files.
    ...(isProduction
      ? []
      : ['everything', 'filesystem', 'memory'].map((name) => `@modelcontextprotocol/server-${name}`)),
  ],
  // Programs of the system that tests use where they are.
  ignoreBinaries: isProduction ? [] : ['Xvfb', 'localedef', 'mkfifo', 'mount', 'taskset', 'umount'],
  compilers: {
    css: (text) => [...text.matchAll(/@import\s+('[^']+'|"[^"]+")/g)].map(([line]) => line.slice(1)).join(';\n'),
  },
};

export default config;
