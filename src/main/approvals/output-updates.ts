import type { AgentToolResult } from '../pi/pi-types';

/** Characters of the end of an output that are told, as pi's `bash` tells them. */
const MAX_CHARS = 50 * 1024;
/** Milliseconds between two updates of one call: an extension is told, nobody watches. */
const EVERY_MS = 200;

type OnUpdate = (partial: AgentToolResult<unknown>) => void;

interface Watched {
  tail: string;
  onUpdate: OnUpdate;
  timer: NodeJS.Timeout | undefined;
}

/** What commands have said so far, for extensions that listen to it (`tool_execution_update`, EX22). */
export class OutputUpdates {
  private readonly watched = new Map<string, Watched>();

  /** Tells of a call's output until the returned function is called. */
  watch(toolCallId: string, onUpdate: OnUpdate): () => void {
    const watched: Watched = { tail: '', onUpdate, timer: undefined };
    this.watched.set(toolCallId, watched);
    return () => {
      clearTimeout(watched.timer);
      this.watched.delete(toolCallId);
    };
  }

  take(toolCallId: string, chunk: string): void {
    const watched = this.watched.get(toolCallId);
    if (!watched) return;
    watched.tail = `${watched.tail}${chunk}`.slice(-MAX_CHARS);
    watched.timer ??= setTimeout(() => {
      watched.timer = undefined;
      watched.onUpdate({ content: [{ type: 'text', text: watched.tail }], details: undefined });
    }, EVERY_MS);
  }
}
