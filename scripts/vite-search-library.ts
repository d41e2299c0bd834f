import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Plugin } from 'vite';

const NAME = 'node-sqlite3-wasm.wasm';

/** SQLite in WebAssembly beside the chunks of main: its code looks for it in the folder that it lies in itself. */
export function searchLibrary(): Plugin {
  return {
    name: 'espalier-search-library',
    generateBundle() {
      const code = createRequire(import.meta.url).resolve('node-sqlite3-wasm');
      this.emitFile({ type: 'asset', fileName: join('chunks', NAME), source: readFileSync(join(dirname(code), NAME)) });
    },
  };
}
