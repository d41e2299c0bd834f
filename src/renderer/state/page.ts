/** What the state asks of the document. `app/page.ts` does it; nothing else in state and actions knows the DOM. */

/** Where the keyboard can be sent: the composer, the search of all sessions, that of the one shown, graph or outline, the outline alone,
 * the coach mark of the tour, the transcript. */
export type Place = 'composer' | 'search' | 'find' | 'tree' | 'outline' | 'mark' | 'transcript';

export interface Page {
  /** Moves the keyboard to a place that is on screen. */
  focus(place: Place): void;
  /** The same once what was asked for is drawn; given up if the person goes on to something else meanwhile. */
  focusOnceDrawn(place: Place): void;
  hasFocus(pane: 'graph' | 'composer'): boolean;
  /** Where the cursor is in the composer that is drawn; null: none is. */
  composerCaret(): number | null;
  /** Brings the card of a question into view with the keyboard on it, as soon as it is drawn. False: it is not yet. */
  showQuestion(approvalId: string): boolean;
  /** Puts text on the clipboard. Resolves whether it is there. */
  copy(text: string): Promise<boolean>;
  /** Copies what is selected, as the key for it does. False: it could not be. */
  copySelected(): boolean;
  /** Selects the words of a message that is drawn. */
  selectMessage(entryId: string): void;
  /** Places in the message that find shows which are drawn, and so marked. */
  spots(): number;
  /** Pixels. */
  width(): number;
}

/** For an app without a document. */
export const NO_PAGE: Page = {
  focus: () => undefined,
  focusOnceDrawn: () => undefined,
  hasFocus: () => false,
  composerCaret: () => null,
  showQuestion: () => true,
  copy: () => Promise.resolve(false),
  copySelected: () => false,
  selectMessage: () => undefined,
  spots: () => 0,
  width: () => 0,
};
