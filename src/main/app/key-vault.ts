import { safeStorage } from 'electron';
import type { KeyVault } from '../models/credentials';

/**
 * The system's keyring through Electron. On Linux without one, Chromium would encrypt with a fixed password
 * (`basic_text`): that is not a keyring, and the person is asked instead (QC5).
 */
export function systemKeyVault(): KeyVault {
  return {
    available: () => safeStorage.isEncryptionAvailable() && backend() !== 'basic_text',
    encrypt: (text) => safeStorage.encryptString(text).toString('base64'),
    decrypt: (base64) => safeStorage.decryptString(Buffer.from(base64, 'base64')),
  };
}

/** The name of the backend where Electron tells it; older runtimes do not have the call. */
function backend(): string {
  if (process.platform !== 'linux' || typeof safeStorage.getSelectedStorageBackend !== 'function') return 'system';
  return safeStorage.getSelectedStorageBackend();
}
