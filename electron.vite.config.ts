import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'electron-vite';
import { mermaidFrame } from './scripts/vite-mermaid-frame';
import { searchLibrary } from './scripts/vite-search-library';
import { noteShipped, thirdPartyTexts } from './scripts/vite-third-party';

const fromRoot = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const alias = { '@shared': fromRoot('./src/shared') };

/**
 * Main and preload are CommonJS with every dependency bundled: the development runtime loads only CommonJS, and pi-ai
 * unbundled costs over half a second to import (docs/decisions/0003). pi-ai stays a lazy chunk.
 */
export default defineConfig({
  main: {
    plugins: [noteShipped(), searchLibrary()],
    resolve: { alias },
    build: {
      externalizeDeps: false,
      target: 'node18',
      // Read from the disk, not over a network: what counts is measured (P13, P16).
      chunkSizeWarningLimit: 2_000,
      rollupOptions: {
        input: { index: fromRoot('./src/main/index.ts') },
        // Without white space and comments V8 reads it in two thirds of the time; names stay, for the log's stack traces.
        output: {
          format: 'cjs',
          chunkFileNames: 'chunks/[name]-[hash].js',
          minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
          minifyInternalExports: false,
        },
      },
    },
  },
  preload: {
    plugins: [noteShipped()],
    resolve: { alias },
    build: {
      externalizeDeps: false,
      target: 'node18',
      rollupOptions: {
        // Two bundles that share no module: a sandboxed preload can load no second file.
        input: { index: fromRoot('./src/preload/index.ts'), consent: fromRoot('./src/preload/consent.ts') },
        output: { format: 'cjs' },
      },
    },
  },
  renderer: {
    root: fromRoot('./src/renderer'),
    resolve: { alias },
    plugins: [react(), mermaidFrame(), noteShipped(), thirdPartyTexts()],
    html: { cspNonce: '__CSP_NONCE__' },
    // Grammars are chunks of the highlight worker; only ES modules can be split.
    worker: { format: 'es', plugins: () => [noteShipped()] },
    build: {
      // electron-vite leaves it out by default; the first screen's code is half as long with it (QP16).
      minify: true,
      target: 'chrome114',
      cssTarget: 'chrome114',
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 2_000,
      rollupOptions: {
        input: {
          index: fromRoot('./src/renderer/index.html'),
          consent: fromRoot('./src/renderer/consent.html'),
        },
      },
    },
  },
});
