import { setUp } from '../setup.mjs';
import { ensureBuild } from './build.mjs';
import { run, scriptArguments } from './run.mjs';
import { main } from './say.mjs';

/** Sets up, builds and runs one of the two programs that print figures (test/bench, test/faults), with flags of Node if need be. */
export function runFigures(program, flags = []) {
  return main(async () => {
    const { env, stop } = await setUp({ scratch: true });
    try {
      await ensureBuild();
      return await run(process.execPath, [...flags, 'scripts/lib/run-ts.mjs', program, ...scriptArguments()], { env });
    } finally {
      stop();
    }
  });
}
