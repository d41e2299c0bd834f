import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const root = fileURLToPath(new URL('..', import.meta.url));
const frameDir = join(root, 'src/renderer/mermaid-frame');

/** The files of the diagram frame, by their name below `mermaid-frame/`. */
function frameFiles(): Record<string, { path: string; type: string }> {
  const mermaid = createRequire(join(root, 'package.json')).resolve('mermaid');
  return {
    'index.html': { path: join(frameDir, 'index.html'), type: 'text/html' },
    'frame.js': { path: join(frameDir, 'frame.js'), type: 'text/javascript' },
    'mermaid.js': { path: join(dirname(mermaid), 'mermaid.min.js'), type: 'text/javascript' },
  };
}

/**
 * Puts the diagram frame beside the window's page, as it is: classic scripts, which a sandboxed page without an origin can
 * load, and which the bundler would turn into modules (docs/decisions/0011).
 */
export function mermaidFrame(): Plugin {
  return {
    name: 'espalier-mermaid-frame',
    generateBundle() {
      for (const [name, { path }] of Object.entries(frameFiles())) {
        this.emitFile({ type: 'asset', fileName: `mermaid-frame/${name}`, source: readFileSync(path) });
      }
    },
    configureServer(server) {
      server.middlewares.use('/mermaid-frame/', (request, response, next) => {
        const file = frameFiles()[(request.url ?? '').replace(/^\//, '').replace(/\?.*$/, '')];
        if (!file) return next();
        response.setHeader('content-type', file.type);
        response.end(readFileSync(file.path));
      });
    },
  };
}
