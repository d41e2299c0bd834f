import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { createServer, type ViteDevServer } from 'vite';

const fromRoot = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** Serves the window over the scripted bridge on a free port. Close it when done. */
export async function serveWindow(): Promise<{ url: string; server: ViteDevServer }> {
  const server = await createServer({
    configFile: false,
    logLevel: 'error',
    root: fromRoot('src/renderer'),
    cacheDir: fromRoot('node_modules/.cache/fake-bridge'),
    resolve: { alias: { '@shared': fromRoot('src/shared') } },
    server: { port: 0, host: '127.0.0.1', hmr: false, fs: { allow: [fromRoot('.')] } },
    plugins: [
      react(),
      {
        name: 'fake-bridge',
        transformIndexHtml: () => [
          {
            tag: 'script',
            attrs: { type: 'module', src: `/@fs${fromRoot('test/support/fake-bridge/page.ts')}` },
            injectTo: 'head',
          },
        ],
      },
    ],
  });
  await server.listen();
  const address = server.httpServer?.address();
  if (!address || typeof address === 'string') throw new Error('The server has no port.');
  return { url: `http://127.0.0.1:${address.port}/`, server };
}
