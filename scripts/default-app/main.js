/* oxlint-disable typescript/no-require-imports -- the development runtime loads CommonJS only */
'use strict';

// Stands in for Electron's default app inside the development runtime (docs/decisions/0002-electron-runtime.md):
// `electron [-r module]... [--flags] <folder or file> [args]` runs that app as if it were installed.
const { existsSync, readFileSync, statSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, join, resolve } = require('node:path');
const { app } = require('electron');

/** Splits a command line into the modules to preload and the app's path. */
function parseArguments(args) {
  const preload = [];
  for (let i = 0; i < args.length; i += 1) {
    const arg = args[i];
    if (arg === '-r' || arg === '--require') {
      i += 1;
      if (args[i] !== undefined) preload.push(args[i]);
    } else if (arg.startsWith('--require=')) {
      preload.push(arg.slice('--require='.length));
    } else if (!arg.startsWith('-')) {
      return { preload, target: arg };
    }
  }
  return { preload, target: undefined };
}

function loadApp(target) {
  const path = resolve(target);
  if (!existsSync(path)) throw new Error(`There is no app at ${path}.`);
  if (!statSync(path).isDirectory()) {
    app.setAppPath(dirname(path));
    return path;
  }
  const manifestPath = join(path, 'package.json');
  const manifest = existsSync(manifestPath) ? JSON.parse(readFileSync(manifestPath, 'utf8')) : {};
  const name = manifest.productName ?? manifest.name;
  if (name) app.setName(name);
  if (manifest.version) app.setVersion(manifest.version);
  if (manifest.desktopName) app.setDesktopName(manifest.desktopName);
  app.setAppPath(path);
  return createRequire(join(path, 'package.json')).resolve(join(path, manifest.main ?? 'index.js'));
}

const { preload, target } = parseArguments(process.argv.slice(1));
// Relative names given with -r belong to the caller's folder, not to this one.
const fromCaller = createRequire(join(process.cwd(), 'package.json'));

process.defaultApp = true;
try {
  for (const name of preload) fromCaller(name);
  if (target === undefined)
    throw new Error('No app was named. Usage: electron <folder with a package.json> [arguments]');
  require(loadApp(target));
} catch (error) {
  console.error(`The app could not be started: ${error?.stack ?? error}`);
  process.exit(1);
}
