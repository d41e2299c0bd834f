import type { EventBatch } from '../../../src/shared/ipc/contract';
import type { Page } from '@playwright/test';
import { journalLines, type InPage } from './stores';

interface ShownEntry {
  seq: number;
  id: string;
  line: string;
}

/** What a check of one session found wrong with the entries that the window had shown as saved. */
export interface Losses {
  lost: number;
  duplicated: number;
}

declare global {
  interface Window {
    faultShown?: [sessionId: string, entry: ShownEntry][];
  }
}

/** What the window showed as saved: the entries of its own event stream, known here after the app was killed. */
export class ShownEntries {
  private readonly sessions = new Map<string, ShownEntry[]>();

  /**
   * Begins to listen in a window; call it once for each start of the app, before anything happens in it. Each entry is
   * told to this process as it comes.
   */
  async watch(page: Page): Promise<void> {
    await page.exposeFunction('espalierFaultShown', (sessionId: string, entry: ShownEntry) =>
      this.add(sessionId, entry),
    );
    await page.evaluate(() => {
      const tell = (globalThis as unknown as { espalierFaultShown: (sessionId: string, entry: unknown) => void })
        .espalierFaultShown;
      window.espalier?.onEvents((batch) => {
        const { events } = JSON.parse(batch) as EventBatch;
        for (const event of events) if (event.type === 'entry_appended') tell(event.sessionId, event.line);
      });
    });
  }

  /**
   * Takes what a window showed since the last call; the first call in a page begins to listen. For windows that are
   * killed, which a driver can't follow: what was shown after the last call is not known.
   */
  async collect(inPage: InPage): Promise<void> {
    const entries = await inPage(() => {
      const taken = window.faultShown ?? [];
      if (!window.faultShown) {
        window.espalier?.onEvents((batch) => {
          const { events } = JSON.parse(batch) as EventBatch;
          for (const event of events)
            if (event.type === 'entry_appended') window.faultShown?.push([event.sessionId, event.line]);
        });
      }
      window.faultShown = [];
      return taken;
    });
    for (const [sessionId, entry] of entries) this.add(sessionId, entry);
  }

  private add(sessionId: string, entry: ShownEntry): void {
    const entries = this.sessions.get(sessionId);
    if (entries) entries.push(entry);
    else this.sessions.set(sessionId, [entry]);
  }

  get total(): number {
    return [...this.sessions.values()].reduce((sum, entries) => sum + entries.length, 0);
  }

  /** Looks for every shown entry at its place in the journal, word for word, and for entries that are there twice. */
  check(home: string): Losses {
    const losses: Losses = { lost: 0, duplicated: 0 };
    for (const [sessionId, entries] of this.sessions) {
      const lines = journalLines(home, sessionId);
      losses.lost += entries.filter(({ seq, line }) => lines[seq] !== line).length;
      const ids = lines.map(idOf).filter((id) => id !== null);
      losses.duplicated += ids.length - new Set(ids).size;
    }
    return losses;
  }
}

/** The id of an entry, null for what is none (the header, a torn line). */
export function idOf(line: string): string | null {
  try {
    const { type, id } = JSON.parse(line) as { type: string; id: string };
    return type === 'session' ? null : id;
  } catch {
    return null;
  }
}
