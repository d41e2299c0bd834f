import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, extname, join } from 'node:path';
import { protocol } from 'electron';
import mainPolicy from '../../../resources/csp.txt?raw';
import mermaidPolicy from '../../../resources/csp-mermaid.txt?raw';
import { resolveAssetPath } from '../pages';

const CONTENT_TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.ttf': 'font/ttf',
  '.json': 'application/json',
};

/** Must run before `ready`: a standard, secure scheme, so that the window has an origin and IndexedDB. */
export function registerAppScheme(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ]);
}

/**
 * Serves the built window from `root` under the CSP of `resources/csp.txt` with a fresh nonce a load. With
 * `devServer`, pages come from Vite under the same origin, without the policy (hot reload needs inline code).
 */
export function serveApp(root: string, devServer: string | undefined): void {
  protocol.handle('app', async (request) => {
    if (devServer) return proxyToDevServer(request, devServer);
    const file = resolveAssetPath(request.url, root);
    const type = file ? CONTENT_TYPES[extname(file)] : undefined;
    if (!file || !type) return new Response('Not found', { status: 404 });
    let bytes: Buffer;
    try {
      bytes = await readFile(file);
    } catch {
      return new Response('Not found', { status: 404 });
    }
    const headers: Record<string, string> = {
      'content-type': type,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    };
    if (extname(file) !== '.html') return new Response(new Uint8Array(bytes), { headers });
    const nonce = randomBytes(16).toString('base64');
    const policy = dirname(file) === join(root, 'mermaid-frame') ? mermaidPolicy : mainPolicy;
    headers['content-security-policy'] = policy
      .replaceAll('{nonce}', nonce)
      .replace(/\s*\n\s*/g, ' ')
      .trim();
    return new Response(bytes.toString('utf8').replaceAll('__CSP_NONCE__', nonce), { headers });
  });
}

async function proxyToDevServer(request: Request, devServer: string): Promise<Response> {
  const url = new URL(request.url);
  return fetch(new URL(url.pathname + url.search, devServer), {
    headers: { accept: request.headers.get('accept') ?? '*/*' },
  });
}
