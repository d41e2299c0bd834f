import { isAbsolute, join, normalize, relative, sep } from 'node:path';
import type { WebPreferences } from 'electron';

/** The app's name for the system, as the installers write it (`appId` of electron-builder.yml). */
export const APP_ID = 'app.espalier.desktop';

/** The one origin of the window. It never changes: IndexedDB belongs to it (QB2). */
export const APP_ORIGIN = 'app://app';
export const APP_PAGE = `${APP_ORIGIN}/index.html`;
/** The origin of main's own questions, in a browser session of their own. */
export const CONSENT_ORIGIN = 'app://consent';

/**
 * The file under `root` that an `app://` address names, or null if the address is not ours or leads elsewhere
 * (security checklist 18). Only decoded once; NUL, backslashes and dot segments are refused rather than repaired.
 */
export function resolveAssetPath(address: string, root: string, origin = APP_ORIGIN): string | null {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return null;
  }
  if (`${url.protocol}//${url.host}` !== origin) return null;
  let path: string;
  try {
    path = decodeURIComponent(url.pathname);
  } catch {
    return null;
  }
  if (/[\0\\%]/.test(path) || path.split('/').includes('..')) return null;
  const file = normalize(join(root, path === '/' ? 'index.html' : path));
  const inside = relative(root, file);
  if (inside === '' || inside.startsWith('..') || isAbsolute(inside) || inside.split(sep).includes('..')) return null;
  return file;
}

/** Items 2, 3, 4, 6, 8, 9, 11, 12 of the checklist (app/security.ts): the only web preferences that a window of this app gets. */
export function windowPreferences(preload: string): WebPreferences {
  return {
    preload,
    nodeIntegration: false,
    nodeIntegrationInWorker: false,
    nodeIntegrationInSubFrames: false,
    contextIsolation: true,
    sandbox: true,
    webSecurity: true,
    allowRunningInsecureContent: false,
    experimentalFeatures: false,
    webviewTag: false,
    navigateOnDragDrop: false,
    // The system's own checker. Elsewhere Chromium would fetch a dictionary, unasked (WN23).
    spellcheck: process.platform === 'darwin',
  };
}
