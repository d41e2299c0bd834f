// npm run dev: the app with the renderer reloading on every change.
import { runBin, scriptArguments } from './lib/run.mjs';
import { main } from './lib/say.mjs';
import { setUp } from './setup.mjs';

await main(async () => {
  const { env, flags, stop } = await setUp();
  try {
    return await runBin('electron-vite', ['dev', ...scriptArguments(), '--', ...flags], { env });
  } finally {
    stop();
  }
});
