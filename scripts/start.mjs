// npm start: opens the app from the sources, setting up whatever is missing. Arguments after `--` go to the app.
import { ensureBuild } from './lib/build.mjs';
import { keysHere } from './lib/keys.mjs';
import { root, run, scriptArguments } from './lib/run.mjs';
import { main } from './lib/say.mjs';
import { setUp } from './setup.mjs';

await main(async () => {
  const { runtime, env, flags, stop } = await setUp();
  try {
    await ensureBuild();
    return await run(runtime.executable, [...flags, root, ...scriptArguments()], { env, keys: keysHere() });
  } finally {
    stop();
  }
});
