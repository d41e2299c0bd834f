import '../../../../src/renderer/ui/global.css';
import { measureDatabase } from './database';
import { measureGraph } from './graph';
import { showBoth, streamOnce } from './markdown';

/** What the cases call in the page. */
const bench = { measureDatabase, measureGraph, showBoth, streamOnce };

declare global {
  interface Window {
    bench: typeof bench;
  }
}

window.bench = bench;
