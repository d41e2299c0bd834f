import { BOUNDS } from './bounds';
import { checkFrame } from './check-frame';
import { checkIndicator } from './check-indicator';
import { anyText, colouredLine, plain, plainLine } from './clean-text';
import type { ComposerMirror } from './composer-mirror';
import type { AskOptions, ExtensionUi, HeardText, OpenedView } from './extension-ui';
import { NoticeValve } from './notice-valve';
import type { Last, SessionBoard } from './session-board';
import type { Question, SessionQuestions } from './session-questions';
import type { SessionViews } from './session-views';
import {
  type ExtensionAnswer,
  type ExtensionDraws,
  type ExtensionWidget,
  MAX_ANSWER_CHARS,
  MAX_COMPOSER_CHARS,
} from '@shared/extensions/ui';
import type { ExtensionName } from '@shared/extensions/view';
import type { EditorDoes, ExtensionEvent } from '@shared/session-state/events';

/** What the extensions of one session share. */
interface Shared {
  board: SessionBoard;
  questions: SessionQuestions;
  composer: ComposerMirror;
  views: SessionViews;
}

export type Said = Omit<Extract<ExtensionEvent, { type: 'extension_notice' }>, 'sessionId' | 'extension'>;
export type Typed = Omit<Extract<ExtensionEvent, { type: 'extension_typed' }>, 'sessionId'>;

const PLACES = new Map<unknown, ExtensionWidget['placement']>([
  ['belowEditor', 'below'],
  ['header', 'header'],
  ['footer', 'footer'],
]);

const DOES: readonly unknown[] = ['hold', 'submit', 'followUp', 'escape'] satisfies EditorDoes[];
const isEditorDoes = (does: unknown): does is EditorDoes => DOES.includes(does);

const LEVELS: readonly unknown[] = ['info', 'warning', 'error'] satisfies Said['level'][];
const isLevel = (level: unknown): level is Said['level'] => LEVELS.includes(level);

/** One extension in one session. What it gives comes over a port: no type of it is taken for granted. */
export class OneUi implements ExtensionUi {
  private readonly say: (said: Said) => void;
  private readonly type: (typed: Typed) => void;
  private readonly valve: NoticeValve<{ text: string; level: unknown }>;
  private readonly stops = new Set<() => void>();
  /** What was said of its failures. */
  private readonly failures = new Set<string>();
  private isOver = false;
  private composerField: { viewId: string; close: () => void } | null = null;

  constructor(
    private readonly extension: ExtensionName,
    private readonly place: Shared,
    { say, type }: { say: (said: Said) => void; type: (typed: Typed) => void },
    private readonly onEnd: () => void,
  ) {
    this.say = say;
    this.type = type;
    this.valve = new NoticeValve({
      tell: (notice) => this.tellNotice(notice),
      tellHeld: (more) => say({ type: 'extension_notice', level: 'info', text: '', more }),
    });
  }

  notify(text: string, level: 'info' | 'warning' | 'error' = 'info'): void {
    if (!this.isOver) this.valve.take({ text, level });
  }

  noticesLeftOut(count: number): void {
    if (!this.isOver && Number.isSafeInteger(count) && count > 0) this.valve.count(count);
  }

  async select(title: string, options: readonly string[], how?: AskOptions): Promise<string | undefined> {
    const given = Array.isArray(options) ? options.slice(0, BOUNDS.options) : [];
    const shown = given.map((option) => plain(option, BOUNDS.option).trimEnd());
    const answer = await this.ask({ kind: 'select', options: shown, ...this.asked(title) }, how);
    return typeof answer === 'number' ? given[answer] : undefined;
  }

  async confirm(title: string, message: string, how?: AskOptions): Promise<boolean> {
    const shown = plain(message, BOUNDS.message);
    return (await this.ask({ kind: 'confirm', message: shown, ...this.asked(title) }, how)) === true;
  }

  async input(title: string, placeholder = '', how?: AskOptions): Promise<string | undefined> {
    const shown = plainLine(placeholder, BOUNDS.placeholder);
    return textOf(await this.ask({ kind: 'input', placeholder: shown, ...this.asked(title) }, how));
  }

  async editor(title: string, prefill = '', how?: AskOptions): Promise<string | undefined> {
    const shown = plain(prefill, MAX_ANSWER_CHARS);
    return textOf(await this.ask({ kind: 'editor', prefill: shown, ...this.asked(title) }, how));
  }

  setStatus(key: string, text: string | undefined): void {
    if (this.isOver) return;
    const shown = colouredLine(text, BOUNDS.status);
    this.place.board.setStatus({ extension: this.extension, key: plainLine(key, BOUNDS.key), text: shown });
  }

  setWidget(
    key: string,
    lines: readonly string[] | undefined,
    placement?: 'aboveEditor' | 'belowEditor',
    leftOut = 0,
  ): void {
    if (this.isOver) return;
    const given = Array.isArray(lines) ? lines : [];
    const before = Number.isSafeInteger(leftOut) && leftOut > 0 ? leftOut : 0;
    // One that holds line ends is several.
    const looked = given
      .slice(0, BOUNDS.widgetLines)
      .flatMap((line) => anyText(line).slice(0, MAX_LINES_CHARS).split(/\r?\n/));
    const shown = looked.slice(0, BOUNDS.widgetLines).map((line) => colouredLine(line, BOUNDS.widgetLine));
    const more = before + Math.max(0, given.length - BOUNDS.widgetLines) + looked.length - shown.length;
    const at = placement === 'belowEditor' ? 'below' : 'above';
    const named = { extension: this.extension, key: plainLine(key, BOUNDS.key) };
    this.place.board.setWidget({ ...named, lines: shown, more, placement: at });
  }

  setDrawn(key: string, given: unknown, placement: unknown): void {
    if (this.isOver) return;
    const frame = given === undefined ? null : checkFrame(given);
    const at = PLACES.get(placement) ?? 'above';
    const named = { extension: this.extension, key: `${at} ${plainLine(key, BOUNDS.key)}` };
    this.place.board.setWidget({ ...named, lines: [], more: 0, placement: at, ...(frame ? { frame } : {}) });
  }

  setDraws(draws: ExtensionDraws): void {
    if (!this.isOver) this.place.board.setDraws(this.extension.id, draws);
  }

  setTitle(title: string | undefined): void {
    this.setLast('title', plainLine(title, BOUNDS.title));
  }

  setWorkingMessage(text?: string): void {
    this.setLast('working', plainLine(text, BOUNDS.working));
  }

  setWorkingIndicator(given: unknown): void {
    this.setLast('indicator', checkIndicator(given));
  }

  setWorkingVisible(isVisible: boolean): void {
    this.setLast('isWorkingHidden', !isVisible);
  }

  setHiddenThinkingLabel(text?: string): void {
    this.setLast('thinkingLabel', plainLine(text, BOUNDS.thinkingLabel));
  }

  setCompletes(does: boolean): void {
    this.setLast('completes', does);
  }

  setEditorText(text: string): void {
    if (!this.isOver) this.place.composer.set(this.extension, text);
  }

  pasteToEditor(text: string): void {
    if (!this.isOver) this.place.composer.paste(this.extension, text);
  }

  getEditorText(): string {
    return this.isOver ? '' : this.place.composer.text;
  }

  onEditorText(listener: HeardText): () => void {
    if (this.isOver) return () => undefined;
    const stop = this.place.composer.onText(listener);
    this.stops.add(stop);
    return () => {
      this.stops.delete(stop);
      stop();
    };
  }

  failed(error: string): void {
    const text = plainLine(error, BOUNDS.notice);
    if (this.isOver || this.failures.has(text) || this.failures.size >= BOUNDS.failures) return;
    this.failures.add(text);
    this.say({ type: 'extension_notice', level: 'error', text, isFault: true });
  }

  end(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.valve.close();
    this.stops.forEach((stop) => stop());
    this.closeEditor();
    this.place.questions.end(this.extension.id);
    this.place.board.leave(this.extension.id);
    this.onEnd();
  }

  async openView(view: OpenedView, { signal }: { signal: AbortSignal }): Promise<void> {
    if (this.isOver) return;
    const { views, questions } = this.place;
    const id = views.open(this.extension.id, view);
    const question = { kind: 'view' as const, isOverlay: view.isOverlay, ...this.asked('It shows something') };
    try {
      await questions.ask(question, { signal }, id);
    } finally {
      views.close(id);
    }
  }

  openEditor(view: Omit<OpenedView, 'isOverlay'>, { signal }: { signal: AbortSignal }): Promise<void> {
    if (this.isOver || signal.aborted) return Promise.resolve();
    const { views, board } = this.place;
    this.closeEditor();
    const viewId = views.open(this.extension.id, { ...view, isOverlay: false });
    board.setLast('editor', this.extension.id, { extension: this.extension, viewId });
    return new Promise((resolve) => {
      const close = (): void => {
        if (this.composerField?.viewId !== viewId) return;
        this.composerField = null;
        signal.removeEventListener('abort', close);
        views.close(viewId);
        board.setLast('editor', this.extension.id, null);
        resolve();
      };
      this.composerField = { viewId, close };
      signal.addEventListener('abort', close, { once: true });
    });
  }

  editorSays(does: unknown, text: string): void {
    if (this.isOver || this.composerField === null || !isEditorDoes(does)) return;
    // What is sent is the person's: nothing is without a key of theirs.
    if (does !== 'hold' && !this.place.views.tookKey(this.composerField.viewId)) return;
    const shown = plain(text, MAX_COMPOSER_CHARS);
    if (does === 'hold') this.place.composer.holds(shown, true);
    this.type({ type: 'extension_typed', extension: this.extension, text: shown, does });
  }

  draw(key: string, frame: unknown): void {
    if (!this.isOver) this.place.views.draw(this.extension.id, key, frame);
  }

  private tellNotice({ text, level }: { text: string; level: unknown }): void {
    const shown = plain(text, BOUNDS.notice).trim();
    if (shown !== '') this.say({ type: 'extension_notice', level: isLevel(level) ? level : 'info', text: shown });
  }

  private closeEditor(): void {
    this.composerField?.close();
  }

  private setLast<K extends keyof Last>(what: K, value: Last[K] | null): void {
    if (!this.isOver) this.place.board.setLast(what, this.extension.id, value);
  }

  private asked(title: string) {
    return { extension: this.extension, title: plain(title, BOUNDS.questionTitle).trim() };
  }

  private ask(question: Question, how?: AskOptions): Promise<ExtensionAnswer> {
    return this.isOver ? Promise.resolve(null) : this.place.questions.ask(question, how);
  }
}

/** Characters of one given line that are looked at for line ends. */
const MAX_LINES_CHARS = BOUNDS.widgetLines * BOUNDS.widgetLine;

function textOf(answer: ExtensionAnswer): string | undefined {
  return typeof answer === 'string' ? answer : undefined;
}
