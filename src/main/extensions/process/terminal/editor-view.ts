import type { AutocompleteProvider, EditorComponent, EditorTheme, KeybindingsManager, TUI } from '@mariozechner/pi-tui';
import type { TerminalFrame } from '@shared/extensions/terminal';
import type { EditorDoes } from '@shared/session-state/events';
import { guard } from './guard';
import { keybindings } from './keys';
import { editorTheme } from './list-theme';
import { Screen, type Size } from './screen';

/** What pi's own program does at keys of an editor that is made for it. */
type Editor = EditorComponent & {
  onEscape?: () => void;
  onAction?: (action: string, handler: () => void) => void;
  dispose?: () => void;
};
export type EditorFactory = (tui: TUI, theme: EditorTheme, keys: KeybindingsManager) => Editor;

interface EditorPorts {
  /** Resolves when the editor is no longer wanted; `signal` closes it from here. */
  open(view: string, signal: AbortSignal): Promise<unknown>;
  draw(view: string, frame: TerminalFrame): void;
  report(error: unknown): void;
  size(): Size;
  /** What it holds now, or a key that is the composer's. */
  says(does: EditorDoes, text: string): void;
  completions(): AutocompleteProvider;
}

/** So long what is typed is told as one. Milliseconds. */
const HOLD_MS = 50;

let lastEditor = 0;

/** An editor in the place of the composer's field (EX24): keys go to it, what it holds is the composer's text. */
export class EditorView {
  private readonly key = `editor ${++lastEditor}`;
  private readonly closing = new AbortController();
  private readonly screen: Screen;
  private editor: Editor | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** The composer's text as far as is known here. */
  private held: string;
  private isOver = false;

  constructor(
    factory: EditorFactory,
    text: string,
    private readonly ports: EditorPorts,
  ) {
    this.held = text;
    this.screen = new Screen(ports.size(), {
      draw: (frame) => ports.draw(this.key, frame),
      fail: (error) => this.fail(error),
    });
    const end = (): void => this.close();
    ports.open(this.key, this.closing.signal).then(end, end);
    try {
      this.show(factory(this.screen.tui, editorTheme, keybindings()), text);
    } catch (error) {
      this.fail(error);
    }
  }

  isCalled(view: string): boolean {
    return this.key === view;
  }

  input(data: string): void {
    if (!this.isOver) this.screen.input(data);
  }

  resize(size: Size): void {
    if (!this.isOver) this.screen.resize(size);
  }

  /** The composer holds another text, which was not written here. */
  take(text: string): void {
    this.held = text;
    if (!this.editor || textOf(this.editor) === text) return;
    this.within(() => this.editor?.setText(text));
    this.screen.tui.requestRender();
  }

  /** What it is drawn from may be something else now. */
  refresh(): void {
    if (!this.isOver) this.screen.tui.requestRender();
  }

  close(): void {
    if (this.isOver) return;
    this.isOver = true;
    clearTimeout(this.timer);
    this.closing.abort();
    this.screen.close();
    this.within(() => this.editor?.dispose?.());
  }

  private show(given: Editor, text: string): void {
    if (typeof given?.getText !== 'function' || typeof given.setText !== 'function')
      throw new TypeError('An editor is a component with functions `getText` and `setText`.');
    const editor = guard(given, (error) => this.fail(error));
    this.editor = editor;
    editor.setAutocompleteProvider?.(this.ports.completions());
    if (text !== '') editor.setText(text);
    editor.onChange = () => this.soon();
    editor.onSubmit = (submitted) => this.does('submit', submitted);
    if (typeof editor.onAction === 'function') {
      editor.onEscape ??= () => this.does('escape');
      editor.onAction('app.clear', () => editor.setText(''));
      editor.onAction('app.message.followUp', () => {
        const written = textOf(editor);
        editor.setText('');
        this.does('followUp', written);
      });
    }
    this.screen.show(editor);
  }

  /** Whoever sends a text has an empty editor; where it could not be sent, the composer says so by having it still. */
  private does(what: EditorDoes, text = ''): void {
    if (this.isOver) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    if (what === 'escape') this.hold();
    else this.held = '';
    this.ports.says(what, String(text));
    if (this.editor && textOf(this.editor) !== this.held) this.soon();
  }

  private soon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.hold();
    }, HOLD_MS);
  }

  private hold(): void {
    if (!this.editor || this.isOver) return;
    let text = this.held;
    this.within(() => (text = textOf(this.editor as Editor)));
    if (text === this.held) return;
    this.held = text;
    this.ports.says('hold', text);
  }

  private within(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.fail(error);
    }
  }

  private fail(error: unknown): void {
    if (this.isOver) return;
    this.ports.report(error);
    // Not from within what draws.
    setImmediate(() => this.close());
  }
}

/** With what was pasted into it. */
function textOf(editor: Editor): string {
  return String(editor.getExpandedText?.() ?? editor.getText());
}
