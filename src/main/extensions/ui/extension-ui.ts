import type { ExtensionDraws } from '@shared/extensions/ui';
import type { ExtensionName } from '@shared/extensions/view';

/** `isTyped`: it was written in an editor of an extension, which has it. */
export type HeardText = (text: string, isTyped: boolean) => void;

/** How a question may end without an answer. */
export interface AskOptions {
  signal?: AbortSignal;
  /** Milliseconds. */
  timeout?: number;
}

/** A terminal view that an extension opens (EX24). */
export interface OpenedView {
  /** The extension's own name of it. */
  key: string;
  isOverlay: boolean;
  /** What the person types, and how large the window shows it. */
  take(what: { input: string } | TerminalSize): void;
}

export interface TerminalSize {
  columns: number;
  rows: number;
}

/**
 * What one extension may show and ask in one session (EX16). Any text is taken: it is cut to its bound, and what could mislead is
 * drawn in visible form. No method throws; a question that ends without an answer (cancelled, its signal, its time, the session
 * closed, the extension gone) resolves with undefined, or false.
 */
export interface ExtensionUi {
  notify(text: string, level?: 'info' | 'warning' | 'error'): void;
  /** So many notices more, of which nobody has the text. */
  noticesLeftOut(count: number): void;
  /** Resolves with the option itself. */
  select(title: string, options: readonly string[], how?: AskOptions): Promise<string | undefined>;
  confirm(title: string, message: string, how?: AskOptions): Promise<boolean>;
  input(title: string, placeholder?: string, how?: AskOptions): Promise<string | undefined>;
  editor(title: string, prefill?: string, how?: AskOptions): Promise<string | undefined>;
  /** Undefined takes it away. */
  setStatus(key: string, text: string | undefined): void;
  /** `leftOut`: lines behind those that were not given. */
  setWidget(
    key: string,
    lines: readonly string[] | undefined,
    placement?: 'aboveEditor' | 'belowEditor',
    leftOut?: number,
  ): void;
  /** A component's lines, as a frame: a widget, header or footer. Undefined takes it away. */
  setDrawn(key: string, frame: unknown, placement: unknown): void;
  /** Of which tools it draws calls, of which types messages and entries. */
  setDraws(draws: ExtensionDraws): void;
  /** Empty or undefined: the session's own again. */
  setTitle(title: string | undefined): void;
  setEditorText(text: string): void;
  pasteToEditor(text: string): void;
  /** What the window last said that the composer holds. */
  getEditorText(): string;
  /** Calls back with the composer's text when it changes, for a mirror of it. Returns the function that ends that. */
  onEditorText(listener: HeardText): () => void;
  setWorkingMessage(text?: string): void;
  /** What stands in the place of the spinner; undefined: our own. */
  setWorkingIndicator(indicator: unknown): void;
  setWorkingVisible(isVisible: boolean): void;
  setHiddenThinkingLabel(text?: string): void;
  /** Whether it completes what is written in the composer. */
  setCompletes(does: boolean): void;
  /** Resolves when the view is over: closed by the person, by its signal, or with its session or extension. */
  openView(view: OpenedView, how: { signal: AbortSignal }): Promise<void>;
  /** An editor in the place of the composer's field. Resolves when it is over: by its signal, or with its session or extension. */
  openEditor(view: Omit<OpenedView, 'isOverlay'>, how: { signal: AbortSignal }): Promise<void>;
  /** What its editor holds now, or a key of the composer that was pressed in it: nobody else's. */
  editorSays(does: unknown, text: string): void;
  /** What a view shows now; what is no frame is left out. */
  draw(key: string, frame: unknown): void;
  /** Something went wrong in it: each is said once in the session, a few until `end`, with the way to Settings (EX17). */
  failed(error: string): void;
  /** The extension is gone from the session (reloaded, switched off, its process ended): its questions end, what it showed goes. */
  end(): void;
}

/** The way to what extensions show and ask, for their host. */
export interface ExtensionUis {
  /** The same object for the same two, until its `end`. */
  uiFor(sessionId: string, extension: ExtensionName): ExtensionUi;
  /** How large a terminal is in the window of a session, if that is known. */
  terminalOf(sessionId: string): TerminalSize | undefined;
}
