import '../../../../src/renderer/ui/global.css';
import { measureDatabase } from './database';
import { showBoth, streamOnce } from './markdown';

/** What the cases call in the page. */
const bench = { measureDatabase, showBoth, streamOnce };

declare global {
  interface Window {
    bench: typeof bench;
  }
}

window.bench = bench;
