// node scripts/lib/run-ts.mjs <program.ts> [arguments]: runs a TypeScript program as Vitest would (aliases, `?raw`
// imports), packages loaded natively. Node alone can't, and a plain transpiler knows no `?raw`.
import { fileURLToPath } from 'node:url';
import { runnerImport } from 'vite';

const [program] = process.argv.splice(2, 1);
await runnerImport(fileURLToPath(new URL(`../../${program}`, import.meta.url)), {
  configFile: false,
  root: fileURLToPath(new URL('../..', import.meta.url)),
  logLevel: 'error',
  resolve: { alias: { '@shared': fileURLToPath(new URL('../../src/shared', import.meta.url)) } },
});
