import { BOUNDS } from './bounds';
import { plainLine } from './clean-text';
import { ComposerMirror } from './composer-mirror';
import type { ExtensionUi, ExtensionUis, TerminalSize } from './extension-ui';
import { OneUi, type Said, type Typed } from './one-ui';
import { SessionBoard } from './session-board';
import { SessionQuestions } from './session-questions';
import { SessionViews } from './session-views';
import { type ExtensionAnswer, SHOWS_NOTHING } from '@shared/extensions/ui';
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
    const type = (typed: Typed): void => this.ports.emit({ sessionId, ...typed });
    const ui = new OneUi(name, place, { say, type }, () => {
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
