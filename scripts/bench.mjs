// npm run bench [-- --only <name>] [--strict]: speed against the bars of the issues, next to the peer.
import { runFigures } from './lib/run-figures.mjs';

await runFigures('test/bench/main.ts');
