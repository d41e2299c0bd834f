import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { session, type Session } from 'electron';
import policy from '../../../resources/csp-consent.txt?raw';
import { CONSENT_ORIGIN, resolveAssetPath } from '../pages';

/** All that the page is made of. It has no script: its preload draws it. */
const CONTENT_TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.woff2': 'font/woff2',
};

let made: Session | undefined;

/**
 * The browser session of consent windows: in memory, apart from that of the app's page, so that neither can load, store or
 * listen to anything of the other's. It serves one page with its styles and lets no other request out.
 */
export function consentSession(root: string, devServer: string | undefined): Session {
  if (made) return made;
  made = session.fromPartition('espalier-consent');
  made.setPermissionRequestHandler((_contents, _permission, done) => done(false));
  made.setPermissionCheckHandler(() => false);
  made.setDevicePermissionHandler(() => false);
  made.webRequest.onBeforeRequest(({ url }, done) => done({ cancel: !url.startsWith(`${CONSENT_ORIGIN}/`) }));
  made.protocol.handle('app', (request) => serve(request.url, root, devServer));
  return made;
}

async function serve(address: string, root: string, devServer: string | undefined): Promise<Response> {
  const file = resolveAssetPath(address, root, CONSENT_ORIGIN);
  const extension = file ? extname(file) : '';
  const type = Object.hasOwn(CONTENT_TYPES, extension) ? CONTENT_TYPES[extension] : undefined;
  if (!file || !type) return new Response('Not found', { status: 404 });
  const headers = {
    'content-type': type,
    'content-security-policy': policy.trim(),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  };
  try {
    if (!devServer) return new Response(new Uint8Array(await readFile(file)), { headers });
    const { pathname, search } = new URL(address);
    const answer = await fetch(new URL(pathname + search, devServer), { headers: { accept: type } });
    return new Response(await answer.arrayBuffer(), { headers });
  } catch {
    return new Response('Not found', { status: 404 });
  }
}
