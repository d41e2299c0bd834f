import { app, session, type WebContents } from 'electron';
import { APP_ORIGIN, APP_PAGE } from '../pages';

/**
 * Electron's security checklist, item by item (QC1; numbers are the checklist's). Items 2 to 4, 6, 8, 9, 11 and 12 are
 * in pages.ts, 7 and 18 in protocol.ts, 15 in ipc/external-links.ts, 17 in ipc/request-gate.ts, 19 in scripts/lib/fuses.mjs.
 */

/** Item 5: every permission is denied, asked or checked, but that the app's own page may put text on the clipboard. */
export function denyPermissions(): void {
  const isCopy = (permission: string, origin: string): boolean =>
    permission === 'clipboard-sanitized-write' && origin.replace(/\/$/, '') === APP_ORIGIN;
  session.defaultSession.setPermissionRequestHandler((_contents, permission, done, { requestingUrl }) =>
    done(isCopy(permission, originOf(requestingUrl))),
  );
  session.defaultSession.setPermissionCheckHandler((_contents, permission, origin) => isCopy(permission, origin));
  session.defaultSession.setDevicePermissionHandler(() => false);
}

/** `new URL().origin` is "null" for schemes that only Chromium knows. */
function originOf(url: string): string {
  return /^[a-z]+:\/\/[^/]+/.exec(url)?.[0] ?? '';
}

/** The app's page may load itself again: that is what its last page offers (A1). */
function isReload(contents: WebContents, url: string): boolean {
  return url === APP_PAGE && contents.getURL() === APP_PAGE;
}

/** Items 12, 13, 14, for every web contents that ever comes to be. `onLink` gets what a person clicked. */
export function guardWebContents(onLink: (url: string) => void): void {
  app.on('web-contents-created', (_event, contents: WebContents) => {
    contents.on('will-attach-webview', (event) => event.preventDefault());
    contents.on('will-navigate', (event) => isReload(contents, event.url) || event.preventDefault());
    contents.on('will-redirect', (event) => event.preventDefault());
    contents.on('will-frame-navigate', (event) => {
      if (event.isMainFrame && isReload(contents, event.url)) return;
      if (!event.isMainFrame && event.url === `${APP_ORIGIN}/mermaid-frame/index.html`) return;
      event.preventDefault();
    });
    contents.setWindowOpenHandler(({ url }) => {
      onLink(url);
      return { action: 'deny' };
    });
  });
}

/** Item 1: requests leave the window only for its own origin; the network belongs to main. */
export function blockForeignRequests(devServer: string | undefined): void {
  session.defaultSession.webRequest.onBeforeRequest((details, done) => {
    const own = details.url.startsWith(`${APP_ORIGIN}/`) || /^(blob:app:|data:|devtools:)/.test(details.url);
    const dev = devServer !== undefined && new URL(details.url).hostname === 'localhost';
    done({ cancel: !own && !dev });
  });
}

/**
 * Takes the network from Chromium itself, below what a content policy or a request filter sees: WebRTC has no UDP, and no
 * name or address is found for anything else (TURN over TCP, names looked up ahead). The app's own requests are Node's.
 * Before `ready`; not in development, where the page comes from Vite and listens to it.
 */
export function cutChromiumOff(): void {
  app.commandLine.appendSwitch('host-resolver-rules', 'MAP * ~NOTFOUND');
  app.on('web-contents-created', (_event, contents) => contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp'));
}
