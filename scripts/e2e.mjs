// npm run test:e2e: Playwright on the real app and on its halves apart. Arguments after `--` go to Playwright; with
// `--project=electron` or `--project=apart` only one of the two is run.
import { ensureApart } from './lib/apart.mjs';
import { ensureBuild } from './lib/build.mjs';
import { runBin, scriptArguments } from './lib/run.mjs';
import { main } from './lib/say.mjs';
import { setUp } from './setup.mjs';

await main(async () => {
  const { env, stop } = await setUp({ scratch: true });
  try {
    await ensureBuild();
    const apart = await ensureApart();
    const options = { command: 'playwright', env: { ...env, ...apart.env } };
    return await runBin('@playwright/test', ['test', ...scriptArguments()], options);
  } finally {
    stop();
  }
});
