import { webcrypto } from 'node:crypto';
import { app } from 'electron';
import { start } from './app/start';
import { shedKeys } from './environment/keys';

// The development runtime's main process has no global crypto; pi-ai's sign-in code expects one.
globalThis.crypto ??= webcrypto as typeof globalThis.crypto;

// Before anything else: it may be that this process only starts the one that is the app.
if (!shedKeys(app.isPackaged, (code) => app.exit(code))) {
  start().catch((error: unknown) => {
    process.stderr.write(
      `Espalier could not start: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    app.exit(1);
  });
}
