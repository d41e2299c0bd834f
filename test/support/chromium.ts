import { existsSync } from 'node:fs';
import { chromium, type Browser } from '@playwright/test';

const DEBIAN_CHROMIUM = '/usr/bin/chromium';

/** The system's Chromium, for tests of the renderer without Electron. */
export const chromiumPath = process.env.CHROMIUM_PATH ?? DEBIAN_CHROMIUM;
export const hasChromium = existsSync(chromiumPath);

/** Says why browser tests do not run here; call where they are skipped. */
export function explainSkip(): void {
  if (!hasChromium) console.log(`skipped: no Chromium at ${chromiumPath} (set CHROMIUM_PATH)`);
}

/** Starts the system's Chromium without a window. */
export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}
