import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import react from '@vitejs/plugin-react';
import { build } from 'vite';
import { mermaidFrame } from '../../scripts/vite-mermaid-frame';

const root = fileURLToPath(new URL('../..', import.meta.url));
const gallery = join(root, 'test/support/gallery');
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.ttf': 'font/ttf',
};

export interface PageServer {
  /** Address of the gallery page, without a query. */
  url: string;
  /** What was asked of the listener that no page may ever reach. */
  strayRequests: string[];
  /** An address that must never be fetched: every request to it is in `strayRequests`. */
  trapUrl: string;
  close(): Promise<void>;
}

/** Serves the gallery, built for Electron's renderer, with the real policies of `resources/` in its headers. */
export async function startPageServer(): Promise<PageServer> {
  const folder = await buildGallery();
  const policies = { page: readPolicy('csp.txt'), frame: readPolicy('csp-mermaid.txt') };
  const pages = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://page').pathname);
    const file = join(folder, path === '/' ? 'index.html' : path);
    if (!file.startsWith(folder) || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    const nonce = randomBytes(16).toString('base64');
    const policy = path.startsWith('/mermaid-frame/') ? policies.frame : policies.page.replace('{nonce}', nonce);
    const type = TYPES[extname(file)] ?? 'application/octet-stream';
    response.writeHead(200, { 'content-type': type, 'content-security-policy': policy });
    const body = readFileSync(file);
    response.end(extname(file) === '.html' ? body.toString('utf8').replaceAll('__CSP_NONCE__', nonce) : body);
  });
  const strayRequests: string[] = [];
  const trap = createServer((request, response) => {
    strayRequests.push(request.url ?? '');
    response.writeHead(200, { 'access-control-allow-origin': '*' }).end();
  });
  const [url, trapUrl] = await Promise.all([listen(pages), listen(trap)]);
  return {
    url,
    trapUrl,
    strayRequests,
    close: async () => {
      await Promise.all([stop(pages), stop(trap)]);
    },
  };
}

function readPolicy(name: string): string {
  return readFileSync(join(root, 'resources', name), 'utf8').trim();
}

function listen(server: Server): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
  });
}

function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

/** Builds once per state of the sources; test files and benches share the result in `.cache/gallery`. */
async function buildGallery(): Promise<string> {
  const inputs = [
    'src/renderer',
    'src/shared',
    'test/support/gallery',
    'scripts/vite-mermaid-frame.ts',
    'package-lock.json',
  ];
  const key = hashFiles(inputs.map((input) => join(root, input)));
  const folder = join(root, '.cache/gallery', key);
  if (existsSync(folder)) return folder;
  const partial = `${folder}.${process.pid}`;
  rmSync(join(root, '.cache/gallery'), { recursive: true, force: true });
  mkdirSync(join(root, '.cache/gallery'), { recursive: true });
  await build({
    root: gallery,
    base: './',
    configFile: false,
    logLevel: 'warn',
    resolve: { alias: { '@shared': join(root, 'src/shared') } },
    plugins: [react(), mermaidFrame()],
    html: { cspNonce: '__CSP_NONCE__' },
    worker: { format: 'es' },
    build: {
      outDir: partial,
      emptyOutDir: true,
      target: 'chrome114',
      cssTarget: 'chrome114',
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      reportCompressedSize: false,
      chunkSizeWarningLimit: 5_000,
    },
  });
  if (!existsSync(folder)) renameSync(partial, folder);
  return folder;
}

function hashFiles(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths) {
    const files = statSync(path).isDirectory()
      ? readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name))
      : [path];
    for (const file of files.sort()) {
      if (statSync(file).isFile()) hash.update(file.slice(root.length)).update(readFileSync(file));
    }
  }
  return hash.digest('hex').slice(0, 16);
}
