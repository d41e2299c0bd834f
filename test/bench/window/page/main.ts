import '../../../../src/renderer/ui/global.css';
import { measureDatabase } from './database';
import { measureGraph, measureMoves } from './graph';
import { showBoth, streamOnce } from './markdown';

/** What the cases call in the page. */
const bench = { measureDatabase, measureGraph, measureMoves, showBoth, streamOnce };

declare global {
  interface Window {
    bench: typeof bench;
  }
}

window.bench = bench;
