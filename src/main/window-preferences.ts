import type { WebPreferences } from 'electron';

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
