import { BOUNDS } from './bounds';
import { anyText, colouredLine, plain, plainLine } from './clean-text';
import { ComposerMirror } from './composer-mirror';
import type { AskOptions, ExtensionUi, ExtensionUis, OpenedView, TerminalSize } from './extension-ui';
import { SessionViews } from './session-views';
import { NoticeValve } from './notice-valve';
import { SessionBoard } from './session-board';
import { type Question, SessionQuestions } from './session-questions';
import { checkFrame } from './check-frame';
import {
  type ExtensionAnswer,
  type ExtensionDraws,
  type ExtensionWidget,
  MAX_ANSWER_CHARS,
  SHOWS_NOTHING,
} from '@shared/extensions/ui';
import type { ExtensionName } from '@shared/extensions/view';
import type { ExtensionChange, ExtensionEvent } from '@shared/session-state/events';
import type { LiveSession } from '@shared/session-state/state';

export interface DeskPorts {
  /** Tells a change of what is shown of a session; without effect on one that is not loaded. */
  tell: (sessionId: string, change: ExtensionChange) => void;
  emit: (said: ExtensionEvent) => void;
  /** Unix milliseconds. */
  now: () => number;
}

interface Place {
  board: SessionBoard;
  questions: SessionQuestions;
  composer: ComposerMirror;
  views: SessionViews;
  uis: Map<string, OneUi>;
  terminal?: TerminalSize;
}

/** What extensions show and ask, session by session (EX16). Create one per app. */
export class ExtensionDesk implements ExtensionUis {
  private readonly places = new Map<string, Place>();

  constructor(private readonly ports: DeskPorts) {}

  uiFor(sessionId: string, extension: ExtensionName): ExtensionUi {
    const place = this.placeOf(sessionId);
    const known = place.uis.get(extension.id);
    if (known) return known;
    const name = { id: extension.id, name: plainLine(extension.name, BOUNDS.name) || 'An extension' };
    const say = (said: Said): void => this.ports.emit({ sessionId, extension: name, ...said });
    const ui = new OneUi(name, place, say, () => {
      if (place.uis.get(name.id) === ui) place.uis.delete(name.id);
    });
    place.uis.set(name.id, ui);
    place.board.join(name.id);
    return ui;
  }

  /** What a session that is loaded begins with: a question is asked again wherever it was lost from sight. */
  shownIn(sessionId: string): Pick<LiveSession, 'extensionQuestions' | 'extensionShows'> {
    const place = this.places.get(sessionId);
    return {
      extensionQuestions: place?.questions.list() ?? [],
      extensionShows: place?.board.shows() ?? SHOWS_NOTHING,
    };
  }

  /** The person's answer. False if the question is over. */
  answer(sessionId: string, questionId: string, answer: ExtensionAnswer): boolean {
    return this.places.get(sessionId)?.questions.answer(questionId, answer) ?? false;
  }

  /** The person stops the session: what its extensions ask is cancelled, as by Escape in its dialog. */
  cancelQuestions(sessionId: string): void {
    this.places.get(sessionId)?.questions.end();
  }

  /** What the composer holds now. */
  composerHolds(sessionId: string, text: string): void {
    this.places.get(sessionId)?.composer.holds(text);
  }

  /** The person types in a view, or it has another size now. */
  viewTakes(sessionId: string, viewId: string, what: { input: string } | TerminalSize): void {
    this.places.get(sessionId)?.views.take(viewId, what);
  }

  /** How large a terminal is in the window of a session: what extensions draw besides views fits into it. */
  terminalIs(sessionId: string, size: TerminalSize): void {
    this.placeOf(sessionId).terminal = size;
  }

  terminalOf(sessionId: string): TerminalSize | undefined {
    return this.places.get(sessionId)?.terminal;
  }

  /** The session is let go of: its questions end. */
  closeSession(sessionId: string): void {
    const place = this.places.get(sessionId);
    if (!place) return;
    for (const ui of [...place.uis.values()]) ui.end();
    place.board.close();
    place.composer.close();
    this.places.delete(sessionId);
  }

  close(): void {
    for (const sessionId of [...this.places.keys()]) this.closeSession(sessionId);
  }

  private placeOf(sessionId: string): Place {
    const known = this.places.get(sessionId);
    if (known) return known;
    const { tell, emit, now } = this.ports;
    const made: Place = {
      board: new SessionBoard((shows) => tell(sessionId, { type: 'extension_shows', shows })),
      questions: new SessionQuestions((change) => tell(sessionId, change), now),
      composer: new ComposerMirror((text) => emit({ type: 'extension_text', sessionId, ...text })),
      views: new SessionViews((viewId, frame) => emit({ type: 'extension_frame', sessionId, viewId, frame })),
      uis: new Map(),
    };
    this.places.set(sessionId, made);
    return made;
  }
}

type Said = Omit<Extract<ExtensionEvent, { type: 'extension_notice' }>, 'sessionId' | 'extension'>;

const PLACES = new Map<unknown, ExtensionWidget['placement']>([
  ['belowEditor', 'below'],
  ['header', 'header'],
  ['footer', 'footer'],
]);

const LEVELS: readonly unknown[] = ['info', 'warning', 'error'];

/** One extension in one session. What it gives comes over a port: no type of it is taken for granted. */
class OneUi implements ExtensionUi {
  private readonly valve: NoticeValve;
  private readonly stops = new Set<() => void>();
  /** What was said of its failures. */
  private readonly failures = new Set<string>();
  private isOver = false;

  constructor(
    private readonly extension: ExtensionName,
    private readonly place: Place,
    private readonly say: (said: Said) => void,
    private readonly onEnd: () => void,
  ) {
    this.valve = new NoticeValve((more) => say({ type: 'extension_notice', level: 'info', text: '', more }));
  }

  notify(text: string, level: 'info' | 'warning' | 'error' = 'info'): void {
    if (this.isOver || !this.valve.mayTell()) return;
    const shown = plain(text, BOUNDS.notice).trim();
    if (shown === '') return;
    this.say({ type: 'extension_notice', level: LEVELS.includes(level) ? level : 'info', text: shown });
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

  setWidget(key: string, lines: readonly string[] | undefined, placement?: 'aboveEditor' | 'belowEditor'): void {
    if (this.isOver) return;
    const given = Array.isArray(lines) ? lines : [];
    // One that holds line ends is several.
    const looked = given
      .slice(0, BOUNDS.widgetLines)
      .flatMap((line) => anyText(line).slice(0, MAX_LINES_CHARS).split(/\r?\n/));
    const shown = looked.slice(0, BOUNDS.widgetLines).map((line) => colouredLine(line, BOUNDS.widgetLine));
    const more = Math.max(0, given.length - BOUNDS.widgetLines) + looked.length - shown.length;
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
    if (!this.isOver) this.place.board.setTitle(this.extension.id, plainLine(title, BOUNDS.title));
  }

  setWorkingMessage(text?: string): void {
    if (!this.isOver) this.place.board.setWorking(this.extension.id, plainLine(text, BOUNDS.working));
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

  onEditorText(listener: (text: string) => void): () => void {
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

  draw(key: string, frame: unknown): void {
    if (!this.isOver) this.place.views.draw(this.extension.id, key, frame);
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
