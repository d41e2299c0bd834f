import type { TerminalFrame } from '@shared/extensions/terminal';
import type { ExtensionCompletion } from '@shared/extensions/ui';
import type { ExtensionMode, ExtensionView } from '@shared/extensions/view';

/**
 * What Settings shows of the host of extensions and does with it (EX17). Ids are those of `list`; an unknown one rejects with a
 * sentence for the person.
 */
export interface ExtensionHostView {
  /** In the order in which they load: the person's own, then those of trusted workspaces with live sessions. */
  list(): Promise<ExtensionView[]> | ExtensionView[];
  /** Remembered. The person has agreed. */
  setEnabled(extensionId: string, enabled: boolean): Promise<void>;
  setMode(extensionId: string, mode: ExtensionMode): Promise<void>;
  /** Without an id all of them, with a fresh look at their folders. */
  reload(extensionId?: string): Promise<void>;
  /** What an extension draws of an entry, or of a call of a tool; null: nothing. */
  draw(
    sessionId: string,
    name: string,
    what: { of: 'call' | 'result' | 'entry'; id: string; columns: number; isExpanded: boolean },
  ): Promise<TerminalFrame | null>;
  /** What extensions would write at the cursor of the composer; null: nothing. */
  complete(sessionId: string, text: string, caret: number): Promise<ExtensionCompletion[] | null>;
  /** The window of a session has another size now. */
  sizeChanged(sessionId: string): void;
  /** Calls back when `list` would answer otherwise. Returns the function that ends that. */
  onChange(listener: () => void): () => void;
}
