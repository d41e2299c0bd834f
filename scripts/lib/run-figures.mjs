import { setUp } from '../setup.mjs';
import { ensureBuild } from './build.mjs';
import { run, scriptArguments } from './run.mjs';
import { main } from './say.mjs';

/** Sets up, builds and runs one of the two programs that print figures (test/bench, test/faults). */
export function runFigures(program) {
  return main(async () => {
    const { env, stop } = await setUp();
    try {
      await ensureBuild();
      return await run(process.execPath, ['scripts/lib/run-ts.mjs', program, ...scriptArguments()], { env });
    } finally {
      stop();
    }
  });
}
