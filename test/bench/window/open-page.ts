import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import react from '@vitejs/plugin-react';
import { build } from 'vite';
import { launchApp, type RunningApp } from '../../support/electron-app';
import { installPeer } from '../peer';

const PEER = { name: 'react-markdown', version: '10.1.0' };
const root = process.cwd();

/**
 * Opens the bench page in the real app: a copy of the built app gets it beside its own page, so that it runs under the
 * app's origin, policy and database code.
 */
export async function openBenchPage(scratch: string): Promise<{ app: RunningApp; page: Page; peer: string }> {
  const appFolder = join(scratch, 'app');
  mkdirSync(appFolder, { recursive: true });
  for (const name of ['out', 'resources', 'package.json'])
    cpSync(join(root, name), join(appFolder, name), { recursive: true });
  await buildPage(join(appFolder, 'out/renderer/bench'));
  const app = await launchApp({ appFolder, home: join(scratch, 'home'), size: { width: 1280, height: 800 } });
  await app.electron.evaluate(async ({ BrowserWindow }) => {
    await BrowserWindow.getAllWindows()[0]?.loadURL('app://app/bench/index.html');
  });
  await app.page.waitForFunction(() => 'bench' in window);
  return { app, page: app.page, peer: `${PEER.name} ${PEER.version}` };
}

async function buildPage(outDir: string): Promise<void> {
  const peer = await installPeer(PEER.name, PEER.version);
  const react19 = ['react', 'react-dom'].map((name) => ({
    find: new RegExp(`^${name}(?=/|$)`),
    replacement: join(root, 'node_modules', name),
  }));
  // Where Vite runs programs it calls the mode development; React's development code is several times slower.
  process.env.NODE_ENV = 'production';
  await build({
    root: join(root, 'test/bench/window/page'),
    base: './',
    configFile: false,
    logLevel: 'warn',
    resolve: {
      // Both sides share the project's React; the peer brings only itself.
      alias: [
        ...react19,
        { find: '@shared', replacement: join(root, 'src/shared') },
        { find: PEER.name, replacement: peer },
      ],
    },
    plugins: [react()],
    html: { cspNonce: '__CSP_NONCE__' },
    worker: { format: 'es' },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'chrome114',
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      chunkSizeWarningLimit: 10_000,
    },
  });
}
