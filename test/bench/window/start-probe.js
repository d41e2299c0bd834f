/* oxlint-disable typescript/no-require-imports -- Electron loads it before the app, as CommonJS */
'use strict';

// electron -r start-probe.js <app>: lets the app start as always and, once its window is ready and has settled, prints
// what the window noted.
const { BrowserWindow, app } = require('electron');

const LOOK_AGAIN_MS = 500;

/** Runs in the page: what it noted, five seconds after a person could type. Nothing but notes is read. */
const readNotes = `new Promise((resolve) => {
  const notes = (type, use) => new PerformanceObserver((list) => use(list.getEntries())).observe({ type, buffered: true });
  let lcpMs = 0;
  notes('largest-contentful-paint', (entries) => (lcpMs = entries.at(-1).startTime));
  notes('mark', (entries) => {
    const ready = entries.find((entry) => entry.name === 'composer-ready');
    if (ready) setTimeout(() => resolve({ readyAt: performance.timeOrigin + ready.startTime, lcpMs }), 5_000);
  });
})`;

async function look() {
  const contents = BrowserWindow.getAllWindows()[0]?.webContents;
  if (!contents || contents.isLoading()) return setTimeout(look, LOOK_AGAIN_MS);
  process.stdout.write(`\nNOTED ${JSON.stringify(await contents.executeJavaScript(readNotes))}\n`);
}

app.whenReady().then(look);
