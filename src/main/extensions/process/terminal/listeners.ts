import { isRecord } from '@shared/checks';

/** Who hears keys before components do (`ctx.ui.onTerminalInput`). */
export class InputListeners {
  private readonly listeners = new Set<(data: string) => unknown>();

  constructor(private readonly report: (error: unknown) => void) {}

  add(listener: unknown): () => void {
    if (typeof listener !== 'function') return () => undefined;
    const heard = listener as (data: string) => unknown;
    this.listeners.add(heard);
    return () => void this.listeners.delete(heard);
  }

  /** What they leave of a key, or of pasted text; null: nothing. */
  pass(data: string): string | null {
    let given = data;
    for (const listener of [...this.listeners]) {
      try {
        const answer = listener(given);
        if (!isRecord(answer)) continue;
        if (answer.consume === true) return null;
        if (typeof answer.data === 'string') given = answer.data;
      } catch (error) {
        this.report(error);
      }
    }
    return given;
  }
}
