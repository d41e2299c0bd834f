import { isRecord } from '@shared/checks';
import { TERMINAL, type TerminalFrame } from '@shared/extensions/terminal';
import type { Completions } from './completions';
import { footerData } from './footer-data';
import type { MainLink } from './links';
import { InputListeners } from './terminal/listeners';
import type { EditorFactory, EditorView, Stage, Still, Stills } from './terminal/parts';
import { theme } from './terminal/theme';
import type { WireFacts } from './wire';

interface Loaded {
  makeEditor: (factory: EditorFactory) => EditorView;
  stage: Stage;
  stills: Stills;
  frameOf: (drawn: unknown, columns: number) => TerminalFrame;
}

type StillPlace = 'widget' | 'header' | 'footer';

/** Components at a time, and statuses that a footer reads. */
const MAX_PLACES = 64;

/** What an extension draws in one session. pi-tui is loaded when the first component is there. */
export class InstanceTerminal {
  private loaded: Loaded | undefined;
  private loading: Promise<Loaded> | undefined;
  private readonly statuses = new Map<string, string>();
  /** Which component each place was given last: it counts, also where one before it is still loaded. */
  private readonly turns = new Map<string, number>();
  private lastTurn = 0;
  private readonly listeners: InputListeners;
  private editor: EditorView | undefined;
  private factory: unknown;

  constructor(
    private readonly link: MainLink,
    private readonly facts: () => WireFacts,
    private readonly mode: 'tui' | 'rpc',
    private readonly completions: Completions,
  ) {
    this.listeners = new InputListeners((error) => link.report('ctx.ui.onTerminalInput', error));
  }

  get size(): { columns: number; rows: number } {
    return this.facts().terminal ?? { columns: 80, rows: TERMINAL.minRows * 4 };
  }

  /** `ctx.ui.custom`. Without a terminal nothing is chosen, as in pi's RPC mode. */
  async custom(factory: unknown, options: unknown): Promise<unknown> {
    this.link.assertFresh();
    if (this.mode === 'rpc') return undefined;
    return (await this.ready()).stage.custom(factory, options);
  }

  /** `ctx.ui.onTerminalInput` */
  onInput(listener: unknown): () => void {
    this.link.assertFresh();
    return this.listeners.add(listener);
  }

  /** `ctx.ui.setEditorComponent`. Without a factory the composer has its own field again. */
  setEditor(factory: unknown): void {
    this.link.assertFresh();
    if (factory !== undefined && factory !== null && typeof factory !== 'function')
      throw new TypeError('ctx.ui.setEditorComponent takes a function that makes an editor.');
    this.factory = factory ?? undefined;
    this.editor?.close();
    this.editor = undefined;
    if (typeof factory !== 'function' || this.mode === 'rpc') return;
    void this.ready()
      .then(({ makeEditor }) => {
        if (this.factory === factory) this.editor = makeEditor(factory as EditorFactory);
      })
      .catch((error: unknown) => this.link.report('ctx.ui.setEditorComponent', error));
  }

  /** `ctx.ui.getEditorComponent` */
  get editorFactory(): unknown {
    return this.factory;
  }

  /** The composer holds another text, which was not written in the editor. */
  composerHolds(text: string): void {
    this.editor?.take(text);
  }

  /** A widget, header or footer that is a component; anything else takes it away. */
  still(place: StillPlace, key: string, factory: unknown, placement?: unknown): void {
    this.link.assertFresh();
    const id = `${place} ${key}`;
    if (typeof factory !== 'function' || this.mode === 'rpc') {
      if (this.turns.delete(id)) this.loaded?.stills.end(id);
      return;
    }
    if (!this.turns.has(id) && this.turns.size >= MAX_PLACES)
      throw new RangeError(`An extension may show ${MAX_PLACES} components at a time.`);
    const turn = ++this.lastTurn;
    this.turns.set(id, turn);
    const at = place === 'widget' ? placement : place;
    const more = place === 'footer' ? [footerData(this.facts, this.statuses)] : [];
    void this.ready()
      .then(({ stills }) => {
        if (this.turns.get(id) !== turn) return;
        stills.set(
          id,
          (tui) => (factory as (...args: unknown[]) => Still)(tui, theme, ...more),
          // Elsewhere it is another one: what stood there goes by itself.
          (frame) => this.link.show(`drawn ${id} ${String(at)}`, 'setDrawn', [key, frame, at], frame === undefined),
        );
      })
      .catch((error: unknown) => this.link.report(`ctx.ui.${place}`, error));
  }

  /** `ctx.ui.setStatus`, as a footer reads it. */
  noteStatus(key: string, text: unknown): void {
    if (typeof text !== 'string') this.statuses.delete(key);
    else if (this.statuses.has(key) || this.statuses.size < MAX_PLACES) this.statuses.set(key, text);
    this.loaded?.stills.soon();
  }

  /** The session, or the size of its window, is another now. */
  factsChanged(): void {
    this.editor?.refresh();
    this.loaded?.stills.soon();
  }

  /** What a renderer made, as lines of so many columns. */
  async frameOf(component: unknown, columns: number): Promise<TerminalFrame | null> {
    if (!isRecord(component) || typeof component.render !== 'function') return null;
    const { frameOf } = await this.ready();
    return frameOf(component.render(columns), columns);
  }

  /** A key, a paste, or a new size of one view. */
  take(view: string, what: unknown): void {
    const { input, columns, rows } = isRecord(what) ? what : {};
    const stage = this.loaded?.stage;
    const editor = this.editor?.isCalled(view) ? this.editor : undefined;
    if (typeof input === 'string') {
      const given = editor ? this.listeners.pass(input) : null;
      if (!editor) stage?.input(view, input);
      else if (given !== null) editor.input(given);
    } else if (typeof columns === 'number' && typeof rows === 'number') {
      if (editor) editor.resize({ columns, rows });
      else stage?.resize(view, { columns, rows });
    }
  }

  private ready(): Promise<Loaded> {
    return (this.loading ??= this.load());
  }

  private async load(): Promise<Loaded> {
    const parts = await import('./terminal/parts');
    const { link } = this;
    const stage = new parts.Stage(
      {
        open: (view, isOverlay, signal) => link.ask('ui', 'view', [view, isOverlay], signal),
        draw: (view, frame) => link.draw(view, frame),
        report: (error) => link.report('ctx.ui.custom', error),
        size: () => this.size,
      },
      this.listeners,
    );
    const stills = new parts.Stills(
      () => this.size,
      (error) => link.report('a component', error),
    );
    const makeEditor = (factory: EditorFactory): EditorView =>
      new parts.EditorView(factory, this.facts().editorText, {
        open: (view, signal) => link.ask('ui', 'editor view', [view], signal),
        draw: (view, frame) => link.draw(view, frame),
        report: (error) => link.report('ctx.ui.setEditorComponent', error),
        size: () => this.size,
        says: (does, text) => link.tell('ui', 'editorSays', [does, text]),
        completions: () => this.completions.over(parts.baseCompletions(this.facts())),
      });
    this.loaded = { stage, stills, frameOf: parts.stillFrame, makeEditor };
    return this.loaded;
  }
}
