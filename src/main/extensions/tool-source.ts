import type { ImageBlock, TextBlock } from '@shared/session/records/entry';

/** Where a tool comes from that is not ours; a card says it: `From the extension “notes”`. */
export interface ToolOrigin {
  kind: 'extension' | 'mcp';
  /** As the person knows it. */
  name: string;
}

/** What a call of an outside tool came to: nothing of it is checked yet. A throw is a result that says so. */
export interface OutsideResult {
  content: (TextBlock | ImageBlock)[];
  /** Kept with the result, never sent to a model. */
  details?: unknown;
  isError?: boolean;
  /** The run ends with it, as far as every call of its reply says so. */
  terminate?: boolean;
}

/** A tool of an extension or an MCP server. */
export interface OutsideTool {
  name: string;
  label: string;
  description: string;
  /** JSON schema of its arguments, as plain data. */
  parameters: Record<string, unknown>;
  origin: ToolOrigin;
  /** Tells what it comes from apart from all else, also after a restart; absent: no answer about it is remembered (EX23). */
  source?: string;
  /** The tool that a call of this one is a call of; absent: it is one of itself. */
  standsFor?: (args: unknown) => OutsideTool | undefined;
  /** It says of itself that it changes nothing: shown on the card, and believed only where the person has confirmed it. */
  readOnlyHint?: boolean;
  /** The person has confirmed the hint: it runs unasked. */
  isConfirmedReadOnly?: boolean;
  /** It takes the place of a tool of ours with the same name; the card says so. Without it such a name is refused. */
  overrides?: boolean;
  /** Not among the active tools until it is chosen. */
  isOff?: boolean;
  /** A line in the system prompt, and rules for it, while the tool is active. */
  promptSnippet?: string;
  promptGuidelines?: readonly string[];
  /** Alone among the calls of its reply. By default it runs beside others. */
  isSequential?: boolean;
  /** It makes raw arguments of a model into what its schema says by itself: until then they may be anything. */
  isPrepared?: boolean;
  execute(
    callId: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
    onUpdate: (partial: OutsideResult) => void,
  ): Promise<OutsideResult>;
}

export interface ToolSource {
  /** Its tools for a session now, in a stable order. Never throws. */
  toolsOf(sessionId: string): readonly OutsideTool[];
}

/** All outside tools. What a run has is fixed when it begins; what comes or goes meanwhile counts from the next one on. */
export class ToolSources {
  private readonly sources = new Set<ToolSource>();
  private readonly listeners = new Set<(sessionId: string | null) => void>();

  /** Returns the function that takes the source away again. */
  add(source: ToolSource): () => void {
    this.sources.add(source);
    this.changed(null);
    return () => {
      this.sources.delete(source);
      this.changed(null);
    };
  }

  /** Of a session, in the order in which the sources came. Names may clash: who uses them decides (`chooseTools`). */
  toolsOf(sessionId: string): OutsideTool[] {
    return [...this.sources].flatMap((source) => [...source.toolsOf(sessionId)]);
  }

  /** The tools of a session, or of all (null), are others now. */
  changed(sessionId: string | null): void {
    for (const listener of [...this.listeners]) listener(sessionId);
  }

  onChange(listener: (sessionId: string | null) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}
