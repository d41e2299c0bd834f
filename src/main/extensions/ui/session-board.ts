import { BOUNDS, SHOW_EVERY_MS } from './bounds';
import {
  type ExtensionDraws,
  type ExtensionEditor,
  type ExtensionIndicator,
  type ExtensionShows,
  type ExtensionStatus,
  type ExtensionWidget,
  SHOWS_NOTHING,
} from '@shared/extensions/ui';

/** One thing that an extension shows, by what it gave it as a name. */
type Shown<T> = Map<string, T>;

/** What there is one of in a session. */
export interface Last {
  title: string;
  working: string;
  indicator: ExtensionIndicator;
  isWorkingHidden: boolean;
  thinkingLabel: string;
  editor: ExtensionEditor;
  completes: boolean;
}
type Lasts = { readonly [K in keyof Last]: Shown<Last[K]> };

/**
 * What the extensions of one session show in it. A change is told soon, and many at once as one.
 */
export class SessionBoard {
  private readonly statuses: Shown<ExtensionStatus> = new Map();
  private readonly widgets: Shown<ExtensionWidget> = new Map();
  /** Of these what was set last stands; when its extension takes it away that of the one before it comes back. */
  private readonly lasts: Lasts = {
    ...{ title: new Map(), working: new Map(), indicator: new Map(), isWorkingHidden: new Map() },
    ...{ thinkingLabel: new Map(), editor: new Map(), completes: new Map() },
  };
  private readonly draws: Shown<ExtensionDraws> = new Map();
  private readonly members = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly tell: (shows: ExtensionShows) => void) {}

  join(extensionId: string): void {
    this.members.add(extensionId);
    this.soon();
  }

  /** All of an extension goes. */
  leave(extensionId: string): void {
    this.members.delete(extensionId);
    for (const shown of [this.statuses, this.widgets])
      for (const [place, { extension }] of shown) if (extension.id === extensionId) shown.delete(place);
    this.draws.delete(extensionId);
    for (const shown of Object.values(this.lasts)) shown.delete(extensionId);
    this.soon();
  }

  setStatus(status: ExtensionStatus): void {
    this.put(this.statuses, status, status.text !== '', BOUNDS.statuses);
  }

  setWidget(widget: ExtensionWidget): void {
    this.put(this.widgets, widget, widget.lines.length > 0 || widget.frame !== undefined, BOUNDS.widgets);
  }

  setDraws(extensionId: string, draws: ExtensionDraws): void {
    this.draws.set(extensionId, draws);
    this.soon();
  }

  /** What is null, false or empty is none. */
  setLast<K extends keyof Last>(what: K, extensionId: string, value: Last[K] | null): void {
    const shown = this.lasts[what] as Shown<Last[K]>;
    shown.delete(extensionId);
    if (value !== null && value !== '' && value !== false) shown.set(extensionId, value);
    this.soon();
  }

  shows(): ExtensionShows {
    if (this.members.size === 0) return SHOWS_NOTHING;
    return {
      isHere: true,
      statuses: [...this.statuses.values()],
      widgets: [...this.widgets.values()],
      draws: {
        tools: [...this.draws.values()].flatMap(({ tools }) => tools),
        types: [...this.draws.values()].flatMap(({ types }) => types),
      },
      title: lastOf(this.lasts.title),
      working: lastOf(this.lasts.working),
      indicator: lastOf(this.lasts.indicator),
      isWorkingHidden: this.lasts.isWorkingHidden.size > 0,
      thinkingLabel: lastOf(this.lasts.thinkingLabel),
      editor: lastOf(this.lasts.editor),
      completes: this.lasts.completes.size > 0,
    };
  }

  /** Tells at once what is due, and no more afterwards. */
  close(): void {
    if (this.timer !== undefined) this.tell(this.shows());
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** What is replaced keeps its place; beyond the bound nothing new is taken. */
  private put<T extends ExtensionStatus | ExtensionWidget>(
    shown: Shown<T>,
    one: T,
    isThere: boolean,
    most: number,
  ): void {
    const place = JSON.stringify([one.extension.id, one.key]);
    if (!isThere) shown.delete(place);
    else if (shown.has(place) || shown.size < most) shown.set(place, one);
    this.soon();
  }

  private soon(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.tell(this.shows());
    }, SHOW_EVERY_MS);
  }
}

function lastOf<T>(shown: Shown<T>): T | null {
  return [...shown.values()].at(-1) ?? null;
}
