import { copyFileSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import react from '@vitejs/plugin-react';
import { build } from 'vite';

const root = process.cwd();

/**
 * Builds QP16's peer into `folder`: an Electron app with a bare window that loads the code of the app's first screen, built as the app is.
 * What the app's first paint takes beyond this one's is what the app does.
 */
export async function buildSameCode(folder: string): Promise<void> {
  const from = join(root, 'test/bench/window/same-code');
  await mkdir(folder, { recursive: true });
  copyFileSync(join(from, 'main.cjs'), join(folder, 'main.cjs'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'same-code', private: true, main: 'main.cjs' }));
  // Where Vite runs programs it calls the mode development; React's development code is several times slower.
  process.env.NODE_ENV = 'production';
  await build({
    root: from,
    base: './',
    configFile: false,
    logLevel: 'warn',
    resolve: { alias: { '@shared': join(root, 'src/shared') } },
    plugins: [react()],
    worker: { format: 'es' },
    build: {
      outDir: join(folder, 'page'),
      emptyOutDir: true,
      target: 'chrome114',
      cssTarget: 'chrome114',
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      chunkSizeWarningLimit: 10_000,
    },
  });
}
