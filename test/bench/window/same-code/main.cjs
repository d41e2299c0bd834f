/* oxlint-disable typescript/no-require-imports -- Electron loads it as CommonJS */
'use strict';

// A bare window that loads as much code as the app's first screen does, from the disk and over a protocol of its own, as the app.
const { readFile } = require('node:fs/promises');
const { extname, join } = require('node:path');
const { app, BrowserWindow, protocol } = require('electron');

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.woff2': 'font/woff2' };

protocol.registerSchemesAsPrivileged([
  { scheme: 'app', privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
]);
app.setPath('userData', process.env.ESPALIER_HOME);
app.whenReady().then(() => {
  protocol.handle('app', async (request) => {
    const path = join(__dirname, 'page', new URL(request.url).pathname);
    const headers = { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' };
    return new Response(await readFile(path), { headers });
  });
  return new BrowserWindow({ width: 1280, height: 800 }).loadURL('app://app/index.html');
});
