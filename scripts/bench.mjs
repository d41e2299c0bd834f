// npm run bench [-- --only <name>] [--strict]: speed against the bars of the issues, next to the peer.
import { runFigures } from './lib/run-figures.mjs';

// Measured on one core, where the threads of a parallel garbage collection only wait for each other: up to 20 ms for a collection
// that takes 1 ms alone, on either side.
await runFigures('test/bench/main.ts', ['--single-threaded-gc']);
