import { spawn } from 'node:child_process';
import { SetupError, say } from './say.mjs';

const START_TIMEOUT_MS = 15_000;

/**
 * Starts a private virtual display when this Linux has none.
 * @returns `env` that programs need to draw on it, and `stop`, which ends it; both do nothing where a display exists.
 */
export async function ensureDisplay() {
  const hasOne = process.env.DISPLAY || process.env.WAYLAND_DISPLAY;
  if (process.platform !== 'linux' || hasOne) return { env: {}, stop: () => {} };

  const args = ['-displayfd', '3', '-screen', '0', '1440x900x24', '-nolisten', 'tcp'];
  const server = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] });
  const stop = () => server.kill();
  // However this process ends short of SIGKILL, the display ends with it.
  process.once('exit', stop);
  const display = `:${await firstLine(server)}`;
  server.unref();
  server.stdio[3].destroy();
  say(`no display here: using a virtual one (Xvfb ${display})`);
  return { env: { DISPLAY: display }, stop };
}

/** Resolves with the display number that Xvfb picked, which it writes once it accepts connections. */
function firstLine(server) {
  return new Promise((resolve, reject) => {
    const fail = () =>
      reject(new SetupError('The virtual display (Xvfb) did not start. Set DISPLAY, or reinstall xvfb.'));
    const timer = setTimeout(() => {
      server.kill();
      fail();
    }, START_TIMEOUT_MS);
    let text = '';
    server.stdio[3].setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) {
        clearTimeout(timer);
        resolve(text.trim());
      }
    });
    server.once('error', fail);
    server.once('exit', fail);
  });
}
