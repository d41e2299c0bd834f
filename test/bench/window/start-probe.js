/* eslint-disable @typescript-eslint/no-require-imports -- Electron loads it before the app, as CommonJS */
// electron -r start-probe.js <app>: lets the app start as always and, once it has settled, prints what its window noted.
'use strict';
const { BrowserWindow, app } = require('electron');

const SETTLE_MS = 6_000;

/** Runs in the page. */
const readNotes = `new Promise((resolve) => {
  const ready = performance.getEntriesByName('composer-ready')[0]?.startTime;
  new PerformanceObserver((list) => {
    const lcpMs = list.getEntries().at(-1)?.startTime;
    resolve({ readyAt: performance.timeOrigin + ready, lcpMs });
  }).observe({ type: 'largest-contentful-paint', buffered: true });
})`;

app.whenReady().then(() =>
  setTimeout(async () => {
    const window = BrowserWindow.getAllWindows()[0];
    process.stdout.write(`\nNOTED ${JSON.stringify(await window.webContents.executeJavaScript(readNotes))}\n`);
  }, SETTLE_MS),
);
