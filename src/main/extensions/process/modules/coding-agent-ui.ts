import {
  CancellableLoader,
  type Component,
  Container,
  Editor,
  type EditorOptions,
  type EditorTheme,
  getKeybindings,
  Loader,
  Spacer,
  Text,
  type TUI,
} from '@mariozechner/pi-tui';
import { keybindings } from '../terminal/keys';
import { editorTheme, selectListTheme } from '../terminal/list-theme';
import { theme } from '../terminal/theme';

type Colour = (text: string) => string;
type Theme = typeof theme;

const fg =
  (name: string): Colour =>
  (text) =>
    theme.fg(name, text);

/** A line across. */
class DynamicBorder implements Component {
  constructor(private readonly colour: Colour = fg('border')) {}
  invalidate(): void {}
  render(width: number): string[] {
    return [this.colour('─'.repeat(Math.max(1, width)))];
  }
}

/** Says between two lines that something goes on, and how to stop it. */
class BorderedLoader extends Container {
  private readonly loader: Loader | CancellableLoader;
  private readonly never = new AbortController();

  constructor(tui: TUI, styles: Theme, message: string, options: { cancellable?: boolean } = {}) {
    super();
    const border = (text: string): string => styles.fg('border', text);
    const made = [
      tui,
      (text: string) => styles.fg('accent', text),
      (text: string) => styles.fg('muted', text),
      message,
    ] as const;
    const isCancellable = options.cancellable !== false;
    this.loader = isCancellable ? new CancellableLoader(...made) : new Loader(...made);
    this.addChild(new DynamicBorder(border));
    this.addChild(this.loader);
    if (isCancellable) this.addChild(new Text(keyHint('tui.select.cancel', 'cancel'), 1, 0));
    this.addChild(new Spacer(1));
    this.addChild(new DynamicBorder(border));
  }

  get signal(): AbortSignal {
    return this.loader instanceof CancellableLoader ? this.loader.signal : this.never.signal;
  }

  set onAbort(listener: (() => void) | undefined) {
    if (this.loader instanceof CancellableLoader) this.loader.onAbort = listener;
  }

  handleInput(data: string): void {
    if (this.loader instanceof CancellableLoader) this.loader.handleInput(data);
  }

  dispose(): void {
    if (this.loader instanceof CancellableLoader) this.loader.dispose();
    else this.loader.stop();
  }
}

/** pi-tui's editor, with places for what pi's own program does at keys. */
class CustomEditor extends Editor {
  readonly actionHandlers = new Map<string, () => void>();
  onEscape?: () => void;
  onCtrlD?: () => void;
  onPasteImage?: () => void;
  onExtensionShortcut?: (data: string) => boolean;

  constructor(tui: TUI, styles: EditorTheme, _keys?: unknown, options?: EditorOptions) {
    super(tui, styles, options);
  }

  onAction(action: string, handler: () => void): void {
    this.actionHandlers.set(action, handler);
  }

  override handleInput(data: string): void {
    if (this.onExtensionShortcut?.(data)) return;
    const keys = keybindings();
    if (this.onEscape && keys.matches(data, 'app.interrupt' as never)) return this.onEscape();
    for (const [action, handler] of this.actionHandlers) if (keys.matches(data, action as never)) return handler();
    super.handleInput(data);
  }
}

function keyText(binding: string): string {
  keybindings();
  return (
    getKeybindings()
      .getKeys(binding as never)
      ?.join('/') ?? ''
  );
}

function keyHint(binding: string, description: string): string {
  return rawKeyHint(keyText(binding), description);
}

function rawKeyHint(key: string, description: string): string {
  return theme.fg('dim', key) + theme.fg('muted', ` ${description}`);
}

const getSelectListTheme = () => ({ ...selectListTheme });

const MARKDOWN = {
  heading: 'mdHeading',
  link: 'mdLink',
  linkUrl: 'mdLinkUrl',
  code: 'mdCode',
  codeBlock: 'mdCodeBlock',
};
const MORE = {
  codeBlockBorder: 'mdCodeBlockBorder',
  quote: 'mdQuote',
  quoteBorder: 'mdQuoteBorder',
  hr: 'mdHr',
  listBullet: 'mdListBullet',
};

/** What draws of `pi-coding-agent` (EX14). Loaded with pi-tui, for extensions that name it. */
export const drawing: Record<string, unknown> = {
  ...{ DynamicBorder, BorderedLoader, CustomEditor, keyText, keyHint, rawKeyHint, getSelectListTheme, theme },
  keyDisplayText: keyText,
  getMarkdownTheme: () => ({
    ...Object.fromEntries(Object.entries({ ...MARKDOWN, ...MORE }).map(([part, name]) => [part, fg(name)])),
    ...{ bold: theme.bold, italic: theme.italic, underline: theme.underline, strikethrough: theme.strikethrough },
  }),
  getSettingsListTheme: () => ({
    label: (text: string, isSelected: boolean) => (isSelected ? theme.fg('accent', text) : text),
    value: (text: string, isSelected: boolean) => theme.fg(isSelected ? 'accent' : 'muted', text),
    description: fg('dim'),
    cursor: theme.fg('accent', '→ '),
    hint: fg('dim'),
  }),
  getEditorTheme: () => ({ ...editorTheme }),
  // Without colours: the lines as they are.
  highlightCode: (code: unknown) => String(code).split('\n'),
  getLanguageFromPath: (path: unknown) => /\.([a-z0-9]{1,10})$/i.exec(String(path))?.[1]?.toLowerCase(),
};
