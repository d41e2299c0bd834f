// npm run test:e2e: Playwright on the real app. Arguments after `--` go to Playwright.
import { ensureBuild } from './lib/build.mjs';
import { runBin, scriptArguments } from './lib/run.mjs';
import { main } from './lib/say.mjs';
import { setUp } from './setup.mjs';

await main(async () => {
  const { env, stop } = await setUp();
  try {
    await ensureBuild();
    return await runBin('@playwright/test', ['test', ...scriptArguments()], { command: 'playwright', env });
  } finally {
    stop();
  }
});
