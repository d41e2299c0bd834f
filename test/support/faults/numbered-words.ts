import type { EventBatch } from '../../../src/shared/ipc/contract';
import type { ModelReply } from '../model-server';
import type { InPage } from './stores';

/** Words of the n-th reply: each carries its own number, so that a lost or doubled delta shows on screen. */
export function numberedReply(n: number, count: number, tokensPerSecond: number): ModelReply {
  const text = Array.from({ length: count }, (_, at) => `r${n}w${at}`).join(' ');
  return { tokensPerSecond, content: [{ type: 'text', text }, { type: 'toolCall', name: 'ls', arguments: { path: '.' } }] }; // prettier-ignore
}

declare global {
  interface Window {
    faultWatch?: { problems: string[]; lastBatch: number | null; frames: number };
  }
}

/**
 * Looks in every frame whether the words of each reply on screen follow one another from the first on, and whether the
 * numbers of the event batches do.
 */
export function watchWindow(inPage: InPage): Promise<void> {
  return inPage(() => {
    if (window.faultWatch) return;
    const watch: NonNullable<Window['faultWatch']> = { problems: [], lastBatch: null, frames: 0 };
    window.faultWatch = watch;
    window.espalier?.onEvents((batch) => {
      const { seq } = JSON.parse(batch) as EventBatch;
      if (watch.lastBatch !== null && seq !== watch.lastBatch + 1) watch.problems.push(`batch ${seq}`);
      watch.lastBatch = seq;
    });
    const look = (): void => {
      watch.frames += 1;
      for (const row of document.querySelectorAll('[data-transcript] [data-kind]')) {
        // The last word may still be growing.
        const words = [...(row.textContent ?? '').matchAll(/r(\d+)w(\d+)(?=\s)/g)];
        const wrong = words.findIndex((word, at) => word[1] === words[0]?.[1] && Number(word[2]) !== at);
        if (wrong !== -1 && watch.problems.length < 20) watch.problems.push(`word ${words[wrong]?.[0]} at ${wrong}`);
      }
      requestAnimationFrame(look);
    };
    look();
  });
}

/** What `watchWindow` found since the page was loaded, and in how many frames it looked. */
export function watchedProblems(inPage: InPage): Promise<{ problems: string[]; frames: number }> {
  return inPage(() => ({ problems: window.faultWatch?.problems ?? [], frames: window.faultWatch?.frames ?? 0 }));
}

/** The whole transcript as the window draws it, row by row: it is scrolled through, because only some rows exist at a time. */
export function readTranscript(inPage: InPage): Promise<string[]> {
  return inPage(async () => {
    const pane = document.querySelector('[data-transcript]');
    if (!pane) return [];
    const frame = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 30)));
    const rows = new Map<string, string>();
    // Output that was watched stays open until a restart: that is how it looks, not what it says.
    const fold = (): void =>
      pane.querySelectorAll<HTMLElement>('button[aria-expanded="true"]').forEach((button) => button.click());
    for (let at = 0; ; at += pane.clientHeight / 2) {
      pane.scrollTop = at;
      await frame();
      fold();
      await frame();
      for (const row of pane.querySelectorAll<HTMLElement>('[data-entry]')) {
        rows.set(row.dataset.entry ?? '', `${row.dataset.entry} ${row.innerText}`);
      }
      if (at + pane.clientHeight >= pane.scrollHeight) return [...rows.values()];
    }
  });
}
