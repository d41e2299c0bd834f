import type { PickedFs, JournalFs } from './fs';
import { ExportParts } from './export-parts';
import { exportSession } from './export-session';
import { SessionError } from './session-error';
import { checkedSessionId, type SessionFiles } from './session-files';
import type { JournalLog } from './session-log';

/** Milliseconds that the exports under way have at the end, to take their parts away. */
const ENDS_MS = 1000;

interface ExportSurroundings {
  fs: JournalFs;
  files: SessionFiles;
  log: { warn(message: string, detail?: unknown): void };
}

/** The exports under way, and what is left of those that were cut off with an earlier run (JN30). */
export class Exports {
  private readonly parts: ExportParts;
  private readonly underWay = new Set<Promise<unknown>>();

  /** @param picked where the person's files are. @param noteFile where it is noted which exports are under way */
  constructor(
    private readonly around: ExportSurroundings,
    private readonly picked: PickedFs,
    private readonly closed: AbortSignal,
    noteFile: string | undefined,
  ) {
    this.parts = new ExportParts(around.fs, noteFile, around.log);
  }

  /** Reads what earlier runs left; call once, before any export. */
  read(): Promise<void> {
    return this.parts.read();
  }

  /** See `JournalStore.clearCutExports`. */
  clearCut(): Promise<string[]> {
    return this.parts.clear(this.picked);
  }

  /** See `SessionStore.exportTo`. `live`: the log of the session, if it is open. */
  async run(sessionId: string, path: string, original: boolean, live: JournalLog | undefined): Promise<void> {
    // From its first step on: a quit in the middle of that must not end before the part is gone.
    const done = this.export(sessionId, path, original, live);
    this.underWay.add(done);
    await done.finally(() => this.underWay.delete(done));
  }

  /** Resolves when each has ended, those that are cut off too; one on a mount that does not answer is not waited for. */
  async settled(): Promise<void> {
    const late = new Promise((resolve) => setTimeout(resolve, ENDS_MS).unref());
    await Promise.race([Promise.allSettled(this.underWay), late]);
  }

  private async export(
    sessionId: string,
    path: string,
    original: boolean,
    live: JournalLog | undefined,
  ): Promise<void> {
    await live?.settled();
    if (live && !live.isOnDisk) throw new SessionError('This session has nothing to export yet. Send a message first.');
    // What goes on beside a file that took its place is the session that is shown.
    await exportSession(
      this.around.fs,
      this.around.files,
      checkedSessionId(sessionId),
      path,
      original,
      live?.apartPath ?? undefined,
      this.picked,
      this.closed,
      this.parts,
    );
  }
}
