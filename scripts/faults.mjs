// npm run faults [-- --only <name>] [--ci]: what the app keeps when things break.
import { runFigures } from './lib/run-figures.mjs';

await runFigures('test/faults/main.ts');
