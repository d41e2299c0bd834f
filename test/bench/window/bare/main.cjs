/* oxlint-disable typescript/no-require-imports -- Electron loads it as CommonJS */
'use strict';

// The least that an Electron app can be: a window with a line of text and a field. What it takes is the machine's share of a start.
const { app, BrowserWindow } = require('electron');

const PAGE = `data:text/html,<p>A line of text.</p><textarea></textarea><script>
  requestAnimationFrame(() => requestAnimationFrame(() => performance.mark('composer-ready')));
</script>`;

app.setPath('userData', process.env.ESPALIER_HOME);
app.whenReady().then(() => new BrowserWindow({ width: 1280, height: 800 }).loadURL(PAGE));
